-- An audience that is being frozen. Time is business time.

-- +goose Up

-- Who is in the audience is decided in one statement; it is written down here in portions, each of which becomes rows of campaign_recipients in a
-- transaction of its own. There are none of a campaign that is being sent. before is how many people the portions in front of it hold.
CREATE TABLE campaign_portions (
    workspace_id uuid    NOT NULL,
    campaign_id  uuid    NOT NULL,
    before       integer NOT NULL,
    people       uuid[]  NOT NULL,
    PRIMARY KEY (workspace_id, campaign_id, before),
    FOREIGN KEY (workspace_id, campaign_id) REFERENCES campaigns (workspace_id, id)
);

-- +goose Down
DROP TABLE campaign_portions;
