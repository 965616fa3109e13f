package insight_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/insight"
)

func TestAVerdictNeedsPeopleGoalsAndADifference(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arms    []insight.Trial
		verdict string
		leader  int
	}{
		"nobody yet":                    {[]insight.Trial{{}, {}}, insight.VerdictEarly, -1},
		"few people, all of one side":   {[]insight.Trial{{People: 12, Reached: 12}, {People: 12}}, insight.VerdictEarly, -1},
		"few goals":                     {[]insight.Trial{{People: 400, Reached: 7}, {People: 400, Reached: 1}}, insight.VerdictEarly, -1},
		"a difference that may be luck": {[]insight.Trial{{People: 100, Reached: 22}, {People: 100, Reached: 18}}, insight.VerdictEarly, -1},
		"nineteen in twenty":            {[]insight.Trial{{People: 200, Reached: 52}, {People: 200, Reached: 36}}, insight.VerdictLikely, 0},
		"no doubt":                      {[]insight.Trial{{People: 500, Reached: 60}, {People: 500, Reached: 110}}, insight.VerdictSure, 1},
		"three arms":                    {[]insight.Trial{{People: 500, Reached: 60}, {People: 500, Reached: 130}, {People: 500, Reached: 70}}, insight.VerdictSure, 1},
		"very many, and no difference":  {[]insight.Trial{{People: 90_000, Reached: 9_010}, {People: 90_000, Reached: 9_000}}, insight.VerdictEqual, -1},
		"one arm alone":                 {[]insight.Trial{{People: 500, Reached: 60}}, insight.VerdictEarly, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verdict, leader, _ := insight.Judge(c.arms)
			require.Equal(t, c.verdict, verdict)
			require.Equal(t, c.leader, leader)
		})
	}
}

// TestTheChanceToBeBestIsWhatDrawingShows compares the sum over the grid with two hundred thousand draws from the same beliefs.
func TestTheChanceToBeBestIsWhatDrawingShows(t *testing.T) {
	t.Parallel()
	arms := []insight.Trial{{People: 80, Reached: 20}, {People: 120, Reached: 24}, {People: 40, Reached: 11}}
	dice := rand.New(rand.NewPCG(1, 2))
	gamma := func(shape int) float64 { // a sum of exponentials, for a whole shape
		sum := 0.0
		for range shape {
			sum += dice.ExpFloat64()
		}
		return sum
	}
	const draws = 200_000
	wins := make([]float64, len(arms))
	for range draws {
		best, highest := 0, -1.0
		for k, arm := range arms {
			a := gamma(arm.Reached + 1)
			if rate := a / (a + gamma(arm.People-arm.Reached+1)); rate > highest {
				best, highest = k, rate
			}
		}
		wins[best] += 1.0 / draws
	}
	for k, chance := range insight.Best(arms) {
		require.InDelta(t, wins[k], chance, 0.005)
	}
}

func TestARangeHoldsTheTrueRateAsOftenAsItSays(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(3, 4))
	const worlds = 600
	held := 0
	for range worlds {
		truth, trial := dice.Float64(), insight.Trial{People: 60}
		for range trial.People {
			if dice.Float64() < truth {
				trial.Reached++
			}
		}
		if low, high := trial.Range(); low <= truth && truth <= high {
			held++
		}
	}
	require.InDelta(t, 0.95, float64(held)/worlds, 0.03)
}
