package delivery

import (
	"context"
	"fmt"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// shortLink is a link of a text for a phone, kept under its code.
type shortLink struct {
	place     int
	code, url string
}

// tracker rewrites the links of a letter so that clicks are noticed; nil where they are not to be.
func (d *Deliverer) tracker(h *house, l *letter) func(int, string) string {
	switch l.channel {
	case engine.ChannelEmail, engine.ChannelPush:
		if h.tracking {
			return func(i int, url string) string { return d.links.On(h.base).Click(l.workspace, l.id, i, url) }
		}
	case engine.ChannelSMS, engine.ChannelWhatsApp:
		if h.shortLinks {
			return func(i int, url string) string {
				address, code := d.links.On(h.base).Short(l.workspace, l.id, i)
				l.shorts = append(l.shorts, shortLink{i, code, url})
				return address
			}
		}
	}
	return nil
}

// writeShortLinks keeps the links of texts that leave for the first time.
func writeShortLinks(ctx context.Context, tx store.Tx, letters []*letter) error {
	var workspaces, ids [][16]byte
	var places []int16
	var codes, urls []string
	for _, l := range letters {
		if l.again {
			continue
		}
		for _, link := range l.shorts {
			workspaces, ids, places = append(workspaces, l.workspace), append(ids, l.id), append(places, int16(link.place))
			codes, urls = append(codes, link.code), append(urls, link.url)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO short_links (workspace_id, message_id, link, code, url, created_at)
		SELECT w, m, link, code, url, $1 FROM unnest($2::uuid[], $3::uuid[], $4::smallint[], $5::text[], $6::text[]) AS x (w, m, link, code, url)`,
		tx.Now, workspaces, ids, places, codes, urls)
	if err != nil {
		return fmt.Errorf("keep short links: %w", err)
	}
	return nil
}
