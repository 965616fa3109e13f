package worker

// answerCalls registers who answers the calls of steps, by node kind.
func (w *Worker) answerCalls() {
}
