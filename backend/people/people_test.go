package people_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

type bundle struct {
	tx        store.Tx
	people    *people.People
	workspace uuid.UUID
}

var secret = []byte("0123456789abcdef0123456789abcdef")

func setup(t *testing.T) bundle {
	t.Helper()
	tx := storetest.Tx(t)
	b := bundle{tx: tx, people: people.New(tx, storetest.Clock, secret), workspace: storetest.Workspace(t, tx)}
	require.NoError(t, b.people.PutField(t.Context(), b.workspace, "city", "text", ""))
	require.NoError(t, b.people.PutField(t.Context(), b.workspace, "points", "number", ""))
	require.NoError(t, b.people.PutField(t.Context(), b.workspace, "born", "date", ""))
	require.NoError(t, b.people.PutField(t.Context(), b.workspace, "vip", "boolean", ""))
	require.NoError(t, b.people.PutList(t.Context(), b.workspace, "news", "News", ""))
	require.NoError(t, b.people.PutTopic(t.Context(), b.workspace, "offers", "Offers", ""))
	return b
}

func (b bundle) upsert(t *testing.T, in people.Input) people.Outcome {
	t.Helper()
	outcome, err := b.people.Upsert(t.Context(), b.workspace, in, "api")
	require.NoError(t, err)
	return outcome
}

// posted are the internal events of a contact, in order.
func (b bundle) posted(t *testing.T, contact uuid.UUID) []string {
	t.Helper()
	rows, err := b.tx.Query(t.Context(), "SELECT name, coalesce(props::text, '') FROM inbox WHERE contact_id = $1 ORDER BY id", contact)
	require.NoError(t, err)
	names := []string{}
	for rows.Next() {
		var name, props string
		require.NoError(t, rows.Scan(&name, &props))
		names = append(names, name+" "+props)
	}
	require.NoError(t, rows.Err())
	return names
}

func TestUpsert(t *testing.T) {
	t.Parallel()

	t.Run("CreatesByAnyIdentityAndPostsWhatHappened", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		created := b.upsert(t, people.Input{
			ExternalID: "42", Email: " Jan.Kowalski@Exämple.COM ", Phone: "0048 601-234-567", FirstName: new("Jan"), Zone: new("Europe/Warsaw"),
			Fields: map[string]any{"city": "Kraków", "points": 7.5, "last_name": "Kowalski"}, Tags: []string{"vip", "new"}, Lists: []string{"news"},
			Consents: []people.ConsentInput{{Channel: "email", State: "granted", Source: "checkout"}},
		})
		require.True(t, created.Created)
		got, err := b.people.Get(t.Context(), b.workspace, created.Contact.ID)
		require.NoError(t, err)
		require.Equal(t, "Jan.Kowalski@Exämple.COM", *got.Email)
		require.Equal(t, "jan.kowalski@xn--exmple-cua.com", *got.EmailFolded)
		require.Equal(t, "+48601234567", *got.Phone)
		require.Equal(t, "jan kowalski", got.NameFolded)
		require.Equal(t, []string{"new", "vip"}, got.Tags)
		require.JSONEq(t, `{"city":"Kraków","points":7.5}`, string(got.Fields))
		require.Equal(t, storetest.Now, got.CreatedAt)
		require.Equal(t, []string{
			`contact_created {"source": "api"}`, `tag_added {"tag": "vip"}`, `tag_added {"tag": "new"}`, `list_joined {"list": "news"}`,
			`consent_changed {"state": "granted", "source": "checkout", "channel": "email"}`,
		}, b.posted(t, got.ID))
		tags, err := b.people.Tags(t.Context(), b.workspace)
		require.NoError(t, err)
		require.Len(t, tags, 2)
	})

	t.Run("TheSameAgainChangesNothingAndPostsNothing", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		in := people.Input{Email: "a@example.com", Fields: map[string]any{"city": "Łódź"}, Tags: []string{"vip"},
			Consents: []people.ConsentInput{{Channel: "email", State: "granted"}}}
		first := b.upsert(t, in)
		before := b.posted(t, first.Contact.ID)
		second := b.upsert(t, in)
		require.Equal(t, first.Contact.ID, second.Contact.ID)
		require.False(t, second.Created)
		require.False(t, second.Changed)
		require.Equal(t, before, b.posted(t, first.Contact.ID))
	})

	t.Run("FindsByExternalIDFirstThenByEMailWithoutRegardToCase", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		first := b.upsert(t, people.Input{Email: "Anna@Example.com"})
		second := b.upsert(t, people.Input{ExternalID: "7", Email: "anna@example.COM", Phone: "+48601234567"})
		require.Equal(t, first.Contact.ID, second.Contact.ID)
		third := b.upsert(t, people.Input{ExternalID: "7", Email: "anna.nowak@example.com"})
		require.Equal(t, first.Contact.ID, third.Contact.ID)
		require.Equal(t, "anna.nowak@example.com", *third.Contact.Email)
		require.Contains(t, b.posted(t, first.Contact.ID), `contact_updated {"fields": ["email"]}`)
		fourth := b.upsert(t, people.Input{Phone: "+48 601 234 567", FirstName: new("Anna")})
		require.Equal(t, first.Contact.ID, fourth.Contact.ID)
	})

	t.Run("AClashNamesBothContacts", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		one := b.upsert(t, people.Input{ExternalID: "1", Email: "one@example.com"})
		two := b.upsert(t, people.Input{ExternalID: "2", Email: "two@example.com", Phone: "+48601234567"})
		for name, test := range map[string]struct {
			in    people.Input
			field string
			of    []uuid.UUID
		}{
			"the e-mail of another":             {people.Input{ExternalID: "1", Email: "two@example.com"}, "email", []uuid.UUID{one.Contact.ID, two.Contact.ID}},
			"the phone of another":              {people.Input{Email: "one@example.com", Phone: "+48601234567"}, "phone", []uuid.UUID{one.Contact.ID, two.Contact.ID}},
			"a new external id and known email": {people.Input{ExternalID: "3", Email: "one@example.com"}, "email", []uuid.UUID{one.Contact.ID}},
		} {
			_, err := b.people.Upsert(t.Context(), b.workspace, test.in, "api")
			require.Equal(t, fault.Conflict, fault.CodeOf(err), name)
			require.Equal(t, people.Clash{Field: test.field, Contacts: test.of}, fault.Public(err).Details, name)
			require.Contains(t, err.Error(), test.of[len(test.of)-1].String(), name)
		}
	})

	t.Run("SaysEverythingThatIsWrongAtOnce", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		_, err := b.people.Upsert(t.Context(), b.workspace, people.Input{
			Email: "jan@@example", Phone: "601234567", Zone: new("Mars/Base"), Language: new("zzzz-q"),
			Fields: map[string]any{"citty": "x", "points": "many", "born": "24.12.2026", "vip": "perhaps", "created_at": "x", "city": []any{}},
			Tags:   []string{"VIP Client"}, Lists: []string{"gone"},
			Consents: []people.ConsentInput{{Channel: "fax", Topic: "nope", State: "maybe", At: storetest.Now.AddDate(1, 0, 0)}},
		}, "api")
		require.Equal(t, fault.Invalid, fault.CodeOf(err))
		paths := []string{}
		for _, field := range fault.Public(err).Fields {
			require.Regexp(t, `^[A-Z"].*[.?]$`, field.Message)
			paths = append(paths, field.Path)
		}
		require.Equal(t, []string{
			"email", "phone", "zone", "language", "fields.born", "fields.citty", "fields.city", "fields.created_at", "fields.points", "fields.vip",
			"tags.0", "lists.0", "consents.0.channel", "consents.0.topic", "consents.0.state", "consents.0.at",
		}, paths)
		require.Contains(t, fault.Public(err).Fields[5].Message, `Did you mean "city"?`)
		_, err = b.people.Upsert(t.Context(), b.workspace, people.Input{FirstName: new("Nobody")}, "api")
		require.Equal(t, fault.Invalid, fault.CodeOf(err))
	})

	t.Run("KeepsWorkspacesApart", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		other := storetest.Workspace(t, b.tx)
		mine := b.upsert(t, people.Input{Email: "a@example.com"})
		theirs, err := b.people.Upsert(t.Context(), other, people.Input{Email: "a@example.com"}, "api")
		require.NoError(t, err)
		require.NotEqual(t, mine.Contact.ID, theirs.Contact.ID)
		_, err = b.people.Get(t.Context(), other, mine.Contact.ID)
		require.Equal(t, fault.NotFound, fault.CodeOf(err))
		_, err = b.people.AddTag(t.Context(), other, mine.Contact.ID, "vip")
		require.Equal(t, fault.NotFound, fault.CodeOf(err))
	})
}

func TestUpsertMany(t *testing.T) {
	t.Parallel()

	t.Run("InputsAboutOnePersonMeetInOrderAndAWrongOneStopsNoOther", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		outcomes, err := b.people.UpsertMany(t.Context(), b.tx, b.workspace, []people.Input{
			{Email: "a@example.com", Fields: map[string]any{"points": 1.0}},
			{Email: "nonsense"},
			{Email: "A@example.com", ExternalID: "1", Fields: map[string]any{"points": 2.0}},
			{ExternalID: "1", Tags: []string{"vip"}},
			{ExternalID: "2", Email: "a@example.com"},
			{Email: "b@example.com"},
		}, people.Options{Source: "import", Quiet: true})
		require.NoError(t, err)
		require.True(t, outcomes[0].Created)
		require.Equal(t, fault.Invalid, fault.CodeOf(outcomes[1].Err))
		require.False(t, outcomes[2].Created)
		require.Equal(t, outcomes[0].Contact.ID, outcomes[3].Contact.ID)
		require.Equal(t, fault.Conflict, fault.CodeOf(outcomes[4].Err))
		require.True(t, outcomes[5].Created)
		got, err := b.people.Get(t.Context(), b.workspace, outcomes[0].Contact.ID)
		require.NoError(t, err)
		require.JSONEq(t, `{"points":2}`, string(got.Fields))
		require.Equal(t, []string{"vip"}, got.Tags)
		require.Equal(t, "1", *got.ExternalID)
		require.Equal(t, got.Tags, outcomes[0].Contact.Tags, "every outcome shows the contact as it stands now")
		require.Empty(t, b.posted(t, got.ID))
	})

	t.Run("ManyConnectionsMakeOneContact", func(t *testing.T) {
		t.Parallel()
		db := storetest.DB(t)
		p := people.New(db, storetest.Clock, secret)
		workspace := storetest.Workspace(t, db)
		const workers = 4
		done := make(chan error)
		for w := range workers {
			go func() {
				for i := range 20 {
					in := people.Input{Email: fmt.Sprintf("p%d@example.com", i), FirstName: new(fmt.Sprintf("w%d", w))}
					if w%2 == 0 {
						in.ExternalID = fmt.Sprint(i)
					}
					if _, err := p.Upsert(t.Context(), workspace, in, "api"); err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range workers {
			require.NoError(t, <-done)
		}
		n, err := p.Count(t.Context(), workspace, people.Filter{})
		require.NoError(t, err)
		require.EqualValues(t, 20, n)
		var created int
		require.NoError(t, db.QueryRow(t.Context(), "SELECT count(*) FROM inbox WHERE name = 'contact_created'").Scan(&created))
		require.Equal(t, 20, created)
	})
}

func TestPatch(t *testing.T) {
	t.Parallel()
	patch := func(text string) map[string]json.RawMessage {
		var patch map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(text), &patch))
		return patch
	}

	t.Run("SetsEmptiesAndKeeps", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.upsert(t, people.Input{Email: "a@example.com", Phone: "+48601234567", FirstName: new("Jan"), Fields: map[string]any{"city": "X", "points": 1.0}}).Contact.ID
		got, err := b.people.Patch(t.Context(), b.workspace, id, patch(`{"phone":null,"last_name":"Nowak","fields":{"city":null,"vip":"yes","born":"1990-05-01"}}`))
		require.NoError(t, err)
		require.Nil(t, got.Phone)
		require.Equal(t, "Jan", got.FirstName)
		require.Equal(t, "jan nowak", got.NameFolded)
		require.JSONEq(t, `{"points":1,"vip":true,"born":"1990-05-01"}`, string(got.Fields))
	})

	t.Run("RefusesWhatItDoesNotKnowAndTheLastIdentity", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.upsert(t, people.Input{Email: "a@example.com"}).Contact.ID
		for _, text := range []string{`{"mail":"x"}`, `{"email":7}`, `{"fields":[]}`, `{"fields":{"email":"b@example.com"}}`, `{"email":null}`, `{"first_name":"a\nb"}`} {
			_, err := b.people.Patch(t.Context(), b.workspace, id, patch(text))
			require.Equal(t, fault.Invalid, fault.CodeOf(err), text)
		}
	})
}

func TestTagsAndLists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.upsert(t, people.Input{Email: "a@example.com"}).Contact.ID
	for range 2 {
		_, err := b.people.AddTag(t.Context(), b.workspace, id, "vip")
		require.NoError(t, err)
		_, err = b.people.JoinList(t.Context(), b.workspace, id, "news")
		require.NoError(t, err)
	}
	for range 2 {
		_, err := b.people.RemoveTag(t.Context(), b.workspace, id, "vip")
		require.NoError(t, err)
		got, err := b.people.LeaveList(t.Context(), b.workspace, id, "news")
		require.NoError(t, err)
		require.Empty(t, got.Lists)
	}
	require.Equal(t, []string{
		`contact_created {"source": "api"}`, `tag_added {"tag": "vip"}`, `list_joined {"list": "news"}`, `tag_removed {"tag": "vip"}`, `list_left {"list": "news"}`,
	}, b.posted(t, id))
	_, err := b.people.JoinList(t.Context(), b.workspace, id, "unknown")
	require.Equal(t, fault.Invalid, fault.CodeOf(err))
}

func TestList(t *testing.T) {
	t.Parallel()
	b := setup(t)
	add := func(in people.Input) uuid.UUID { return b.upsert(t, in).Contact.ID }
	jan := add(people.Input{ExternalID: "C_1", Email: "jan@example.com", FirstName: new("Jan"), LastName: new("Żuraw"), Tags: []string{"vip"}})
	ann := add(people.Input{Email: "ann%x@example.com", FirstName: new("Ann"), LastName: new("Jansen"), Lists: []string{"news"}})
	tel := add(people.Input{Phone: "+48601234567"})
	gone := add(people.Input{Email: "jan.gone@example.com"})
	require.NoError(t, b.people.Erase(t.Context(), b.workspace, gone))

	for name, test := range map[string]struct {
		filter people.Filter
		want   []uuid.UUID
	}{
		"all, newest first":     {people.Filter{}, []uuid.UUID{tel, ann, jan}},
		"first or last name":    {people.Filter{Query: "JAN"}, []uuid.UUID{ann, jan}},
		"folded last name":      {people.Filter{Query: "żur"}, []uuid.UUID{jan}},
		"whole name":            {people.Filter{Query: "jan ż"}, []uuid.UUID{jan}},
		"a percent is a letter": {people.Filter{Query: "ann%"}, []uuid.UUID{ann}},
		"an underscore too":     {people.Filter{Query: "_"}, nil},
		"phone with spaces":     {people.Filter{Query: "+48 601"}, []uuid.UUID{tel}},
		"external id":           {people.Filter{Query: "C_1"}, []uuid.UUID{jan}},
		"tag":                   {people.Filter{Tag: "vip"}, []uuid.UUID{jan}},
		"list":                  {people.Filter{List: "news"}, []uuid.UUID{ann}},
		"nothing":               {people.Filter{Query: "jan", Tag: "other"}, nil},
	} {
		page, err := b.people.List(t.Context(), b.workspace, test.filter)
		require.NoError(t, err, name)
		require.Equal(t, test.want, ids(page.Items), name)
		n, err := b.people.Count(t.Context(), b.workspace, test.filter)
		require.NoError(t, err, name)
		require.EqualValues(t, len(test.want), n, name)
	}

	first, err := b.people.List(t.Context(), b.workspace, people.Filter{Limit: 2})
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{tel, ann}, ids(first.Items))
	second, err := b.people.List(t.Context(), b.workspace, people.Filter{Limit: 2, Cursor: first.Next})
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{jan}, ids(second.Items))
	require.Empty(t, second.Next)
	_, err = b.people.List(t.Context(), b.workspace, people.Filter{Cursor: "zzz"})
	require.Equal(t, fault.Invalid, fault.CodeOf(err))
}

func ids(contacts []store.Contact) []uuid.UUID {
	var all []uuid.UUID
	for _, contact := range contacts {
		all = append(all, contact.ID)
	}
	return all
}
