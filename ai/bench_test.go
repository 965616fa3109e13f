package ai_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lejek/lejek/ai"
	"github.com/stretchr/testify/require"
)

// BenchmarkOffline reports the 95th percentile of one draft over all prompts of the playbooks and a long rambling one. Aim: 50 ms.
func BenchmarkOffline(b *testing.B) {
	prompts := []string{rambling}
	for _, p := range asked {
		prompts = append(prompts, p...)
	}
	slices.Sort(prompts)
	var took []time.Duration
	for b.Loop() {
		for _, p := range prompts {
			start := time.Now()
			ai.DraftOffline(ai.Request{Prompt: p}, catalogue())
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
}

func BenchmarkCompile(b *testing.B) {
	spec, err := ai.DecodeSpec([]byte(soundPlan))
	require.NoError(b, err)
	for b.Loop() {
		ai.Compile(spec, ai.Setting{Kinds: catalogue()})
	}
}

const rambling = "Mam salon kosmetyczny w Krakowie i klientki przychodzą na zabieg a potem znikają. Chciałabym żeby dzień po zabiegu dostały maila z podziękowaniem, " +
	"po 4 tygodniach przypomnienie żeby umówiły się znowu, a jak nie umówią to po kolejnym tygodniu 10% zniżki. tylko nie w nocy! "
