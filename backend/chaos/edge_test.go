package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/engine"
)

// servers starts two processes of the API on one database and returns their addresses and a token that may do everything.
func (f *fleet) servers() (addresses []string, token string) {
	f.Helper()
	for range 2 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(f, err)
		require.NoError(f, listener.Close())
		addresses = append(addresses, listener.Addr().String())
		f.start(map[string]string{"LEJEK_ADDR": listener.Addr().String()}, "serve")
	}
	_, token, err := f.app.Auth.CreateToken(f.Context(), f.db, f.workspace, nil, auth.TokenInput{Name: "All", Scopes: []auth.Scope{auth.ScopeRead, auth.ScopeWrite, auth.ScopeOperate}})
	require.NoError(f, err)
	for _, address := range addresses {
		f.until(patience, "a server answers", func() bool {
			status, _ := f.post(address, token, "/api/v1/validate", map[string]any{})
			return status > 0
		})
	}
	return addresses, token
}

// post is the answer to a request; status 0 is none.
func (f *fleet) post(address, token, path string, in any) (status int, text string) {
	f.Helper()
	body, err := json.Marshal(in)
	require.NoError(f, err)
	request, err := http.NewRequestWithContext(f.Context(), http.MethodPost, "http://"+address+path, bytes.NewReader(body))
	require.NoError(f, err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	require.NoError(f, err)
	return answer.StatusCode, string(read)
}

func TestFault_53_FiftyBookOneSlotAtTwoServers(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	addresses, token := f.servers()
	day := []map[string]string{{"from": "06:00", "to": "23:00"}}
	status, text := f.post(addresses[0], token, "/api/v1/resources", map[string]any{
		"name": "Chair", "slot_minutes": 60, "hours": map[string]any{"mon": day, "tue": day, "wed": day, "thu": day, "fri": day, "sat": day, "sun": day},
	})
	require.Equal(t, http.StatusCreated, status, text)
	slot := f.now().Add(48 * time.Hour).UTC().Truncate(24 * time.Hour).Add(9 * time.Hour)
	var mu sync.Mutex
	var group sync.WaitGroup
	won, lost := 0, 0
	begin := make(chan struct{})
	for i := range 50 {
		group.Go(func() {
			<-begin
			status, text := f.post(addresses[i%2], token, "/api/v1/bookings", map[string]any{"resource": "chair", "from": slot, "contact": map[string]any{"email": fmt.Sprintf("p%d@example.com", i)}})
			mu.Lock()
			defer mu.Unlock()
			switch status {
			case http.StatusCreated:
				won++
			case http.StatusConflict:
				lost++
				require.Contains(t, text, slot.Add(time.Hour).Format(time.RFC3339), "others are named")
			default:
				t.Errorf("%d %s", status, text)
			}
		})
	}
	close(begin)
	group.Wait()
	require.Equal(t, 1, won)
	require.Equal(t, 49, lost)
	require.Equal(t, 1, f.count("SELECT count(*) FROM bookings WHERE state = 'booked'"))
	f.until(patience, "it is told once", func() bool { return f.count("SELECT count(*) FROM events WHERE name = 'booking_made'") == 1 })
	f.audit()
}

func TestFault_31_TenThousandStepsAreRefusedAndTheServerGoesOn(t *testing.T) {
	t.Parallel()
	f := raise(t, "")
	addresses, token := f.servers()
	var graph strings.Builder
	graph.WriteString(`{"schema": 1, "nodes": [{"id": "start", "kind": "entry", "name": "", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "reentry": {"rule": "once"}}}`)
	for i := range 10_000 {
		fmt.Fprintf(&graph, `, {"id": "tag-%d", "kind": "add_tag", "name": "", "config": {"tag": "x"}}`, i)
	}
	graph.WriteString(`], "edges": [{"from": "start", "port": "next", "to": "tag-0"}`)
	for i := range 10_000 { // a ring of them all, without a wait
		fmt.Fprintf(&graph, `, {"from": "tag-%d", "port": "next", "to": "tag-%d"}`, i, (i+1)%10_000)
	}
	graph.WriteString("]}")
	for _, address := range addresses {
		status, text := f.post(address, token, "/api/v1/validate", map[string]any{"graph": json.RawMessage(graph.String()), "creatives": map[string]any{}})
		require.Less(t, status, 500, text)
		require.Contains(t, text, engine.CodeLimitNodes)
		status, text = f.post(address, token, "/api/v1/validate", map[string]any{"graph": json.RawMessage(`{"schema": 1, "nodes": [], "edges": []}`), "creatives": map[string]any{}})
		require.Equal(t, http.StatusOK, status, text)
	}
	f.audit()
}
