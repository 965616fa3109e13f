-- What sent a message that no funnel and no campaign sent: test, team, api, or form: and the form's slug. '' else, and before this was kept.

-- +goose Up
ALTER TABLE messages ADD COLUMN origin text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE messages DROP COLUMN origin;
