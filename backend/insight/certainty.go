package insight

import "math"

// Verdicts on the arms of a split, from the least to the most certain. What is said of them is said in words, never as a p-value.
const (
	VerdictNoGoal = "no_goal" // the funnel has no goal: there is nothing to compare by
	VerdictEarly  = "early"   // too early to say
	VerdictLikely = "likely"  // at least 19 in 20
	VerdictSure   = "sure"    // at least 99 in 100
	VerdictEqual  = "equal"   // so many people, and no difference that would matter
)

// Below these nothing is said: a handful of people always looks like a difference.
const (
	fewPeople = 30 // in the smallest arm
	fewGoals  = 10 // over all arms
	likely    = 0.95
	sure      = 0.99
	matters   = 0.01 // a difference of one goal in a hundred people
)

// Trial is what was seen of one arm: people who took it, and those of them who reached a goal.
type Trial struct{ People, Reached int }

// Rate is the share that reached a goal; 0 of nobody.
func (t Trial) Rate() float64 {
	if t.People == 0 {
		return 0
	}
	return float64(t.Reached) / float64(t.People)
}

// posterior is what one may believe of the arm's true rate: a Beta distribution over the grid, starting from "any rate is as likely".
func (t Trial) posterior() []float64 {
	a, b := float64(t.Reached)+1, float64(t.People-t.Reached)+1
	density := make([]float64, gridSize)
	highest := math.Inf(-1)
	for i := range density {
		x := (float64(i) + 0.5) / gridSize
		density[i] = (a-1)*math.Log(x) + (b-1)*math.Log1p(-x)
		highest = max(highest, density[i])
	}
	sum := 0.0
	for i, log := range density {
		density[i] = math.Exp(log - highest)
		sum += density[i]
	}
	for i := range density {
		density[i] /= sum
	}
	return density
}

// gridSize is how finely rates are told apart. With 4096 cells a probability is off by less than one in a thousand up to a million people.
const gridSize = 4096

// Range holds the true rate with 95 in 100.
func (t Trial) Range() (low, high float64) {
	if t.People == 0 {
		return 0, 1
	}
	density, below := t.posterior(), 0.0
	high = 1
	for i, p := range density {
		if below < 0.025 && below+p >= 0.025 {
			low = float64(i) / gridSize
		}
		if below < 0.975 && below+p >= 0.975 {
			high = float64(i+1) / gridSize
			break
		}
		below += p
	}
	return low, high
}

// Best is, for each arm, the probability that its true rate is the highest of all. The probabilities add up to 1.
func Best(arms []Trial) []float64 {
	densities := make([][]float64, len(arms))
	below := make([][]float64, len(arms)) // probability of a rate below the middle of the cell
	for k, arm := range arms {
		densities[k] = arm.posterior()
		below[k] = make([]float64, gridSize)
		sum := 0.0
		for i, p := range densities[k] {
			below[k][i] = sum + p/2
			sum += p
		}
	}
	best, total := make([]float64, len(arms)), 0.0
	for k := range arms {
		for i, p := range densities[k] {
			for other := range arms {
				if other != k {
					p *= below[other][i]
				}
			}
			best[k] += p
		}
		total += best[k]
	}
	for k := range best {
		best[k] /= total
	}
	return best
}

// Judge says which arm leads and how sure that is. Leader is -1 where nothing can be said.
func Judge(arms []Trial) (verdict string, leader int, chance float64) {
	least, goals := math.MaxInt, 0
	for _, arm := range arms {
		least, goals = min(least, arm.People), goals+arm.Reached
	}
	if len(arms) < 2 || least < fewPeople || goals < fewGoals {
		return VerdictEarly, -1, 0
	}
	best := Best(arms)
	for k, p := range best {
		if p > chance {
			leader, chance = k, p
		}
	}
	switch {
	case chance >= sure:
		return VerdictSure, leader, chance
	case chance >= likely:
		return VerdictLikely, leader, chance
	case alike(arms):
		return VerdictEqual, -1, 0
	default:
		return VerdictEarly, -1, 0
	}
}

// alike tells that whatever difference there is, it would not matter: all ranges lie within a hundredth of each other.
func alike(arms []Trial) bool {
	lowest, highest := 1.0, 0.0
	for _, arm := range arms {
		low, high := arm.Range()
		lowest, highest = min(lowest, low), max(highest, high)
	}
	return highest-lowest <= 2*matters
}
