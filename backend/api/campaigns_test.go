package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const campaignDocument = `{"channel":"email","audience":{"include":["list:news"]},"when":{"mode":"now"},"variants":[{"id":"a","weight":1,"creative":{"channel":"email",
	"subject":"Sale, {{ first_name | default(\"friend\") }}","blocks":[{"id":"t","type":"heading","text":"Come","level":1},{"id":"f","type":"footer"}]}}]}`

func TestCampaigns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do(b.admin, 201, "POST", "/lists", object{"slug": "news", "name": "News"})
	for _, email := range []string{"ola@example.com", "ewa@example.com"} {
		b.do(b.admin, 201, "POST", "/contacts", object{"email": email, "lists": []string{"news"}, "consents": []object{{"channel": "email", "state": "granted"}}})
	}
	b.do(b.admin, 201, "POST", "/contacts", object{"phone": "+48601234567", "lists": []string{"news"}})
	b.play(t, []scenario{
		{name: "ANameIsNeeded", method: "POST", path: "/campaigns", body: `{"name":"  "}`, status: 422, has: []string{`"field":"name"`}},
		{name: "ABlankOneTellsWhatItLacks", method: "POST", path: "/campaigns", body: `{"name":"Sale"}`, status: 201, has: []string{`"state":"draft"`, "AUDIENCE_EMPTY", "SUBJECT_EMPTY"}, keep: map[string]string{"id": "campaign.id"}},
		{name: "SameNameAnotherSlug", method: "POST", path: "/campaigns", body: `{"name":"Sale","document":` + campaignDocument + `}`, status: 201, has: []string{`"slug":"sale-2"`, `"problems":[]`}, keep: map[string]string{"ready": "campaign.id"}},
		{name: "AnUnknownMemberIsRefused", method: "PATCH", path: "/campaigns/{id}", body: `{"revision":1,"document":{"channel":"email","audience":{"include":[]},"when":{"mode":"now"},"variants":[{"id":"a","weight":1,"creative":{"channel":"email"}}],"colour":"red"}}`, status: 422, has: []string{"colour"}},
		{name: "ALetterIsNone", method: "POST", path: "/campaigns", body: `{"name":"Post","document":{"channel":"letter","audience":{"include":[]},"when":{"mode":"now"},"variants":[{"id":"a","weight":1,"creative":{"channel":"letter"}}]}}`, status: 422},
		{name: "SavedWhateverItSays", method: "PATCH", path: "/campaigns/{id}", body: `{"revision":1,"document":{"channel":"sms","audience":{"include":["list:gone"]},"when":{"mode":"at","at":"2020-01-01T09:00"},"variants":[{"id":"a","weight":1,"creative":{"channel":"sms","text":"{{ shoe }}"}}],"throttle":{"count":0,"per":"hour"}}}`,
			status: 200, has: []string{"REF_MISSING", "TIME_PAST", "VAR_UNKNOWN", "LIMIT_INVALID"}},
		{name: "AStaleEditIsAConflict", method: "PATCH", path: "/campaigns/{id}", body: `{"revision":1,"name":"Other"}`, status: 409, has: []string{`"revision":2`}},
		{name: "NotToBeSent", method: "POST", path: "/campaigns/{id}/start", body: `{"revision":2}`, status: 422, has: []string{`"problems":[`, "REF_MISSING"}},
		{name: "ThreeNumbers", method: "POST", path: "/campaigns/preview", body: `{"document":` + campaignDocument + `}`, status: 200, has: []string{`"match":3`, `"reachable":2`, `"sendable":2`}},
		{name: "NowHasNoSchedule", method: "POST", path: "/campaigns/{ready}/schedule", body: `{"revision":1}`, status: 422},
		{name: "NothingToPause", method: "POST", path: "/campaigns/{ready}/pause", status: 409},
		{name: "Start", method: "POST", path: "/campaigns/{ready}/start", body: `{"revision":1}`, status: 202, has: []string{`"state":"freezing"`, `"task_id"`}},
		{name: "ASecondStart", method: "POST", path: "/campaigns/{ready}/start", body: `{"revision":1}`, status: 409, has: []string{`"reason":"audience_frozen"`}},
		{name: "NotDeleted", method: "DELETE", path: "/campaigns/{ready}", status: 409},
		{name: "Copied", method: "POST", path: "/campaigns/{ready}/duplicate", body: `{"name":"Again"}`, status: 201, has: []string{`"state":"draft"`}, keep: map[string]string{"copy": "campaign.id"}},
		{name: "Deleted", method: "DELETE", path: "/campaigns/{copy}", status: 204},
		{name: "Gone", method: "GET", path: "/campaigns/{copy}", status: 404},
		{name: "Listed", method: "GET", path: "/campaigns?limit=1", status: 200, has: []string{"{ready}", `"next"`}, hasNot: []string{"{id}"}},
		{name: "Progress", method: "GET", path: "/campaigns/{ready}/progress", status: 200, has: []string{`"total":0`}},
		{name: "NoRecipientsYet", method: "GET", path: "/campaigns/{ready}/recipients?state=waiting", status: 200, has: []string{`"items":[]`}},
		{name: "Report", method: "GET", path: "/campaigns/{ready}/report", status: 200},
	})
	marketer := b.member("marketer")
	b.do(marketer, 200, "GET", "/campaigns", nil)
	require.Contains(t, b.do(marketer, 403, "POST", "/campaigns/"+b.do(marketer, 201, "POST", "/campaigns", object{"name": "Mine"}).get(t, "campaign.id").(string)+"/start", object{"revision": 1}).Body.String(), "forbidden")
}
