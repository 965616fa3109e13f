package worker

import "github.com/lejek/lejek/engine"

// answerCalls registers who answers the calls of steps, by node kind.
func (w *Worker) answerCalls() {
	w.Calls.Inside(engine.KindEnterFunnel, w.Reactor.Enter)
	w.Calls.Outside("http_request", w.Connections.Request)
	w.Calls.Outside(engine.KindPrepare, w.Wording.Prepare)
	w.Calls.Outside("create_payment", w.Connections.Pay)
	w.Calls.Outside(engine.KindAIGenerate, w.Wording.Write)
	w.Calls.Outside("notify_team", w.Connections.Notify(w.Deliverer.SendNotice))
}
