package reviews

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Words are a new comment.
type Words struct {
	Node     string // "" is the whole funnel
	Body     string
	Answers  *uuid.UUID // the comment that began the talk, or one of its answers
	Mentions []uuid.UUID
	By       *uuid.UUID
}

// Comments are all of a funnel, in the order they were written.
func Comments(ctx context.Context, db store.DB, workspace, funnel uuid.UUID) ([]store.FunnelComment, error) {
	if _, err := store.Q.Funnel(ctx, db, store.FunnelParams{WorkspaceID: workspace, ID: funnel}); err != nil {
		return nil, orNotFound(err, "funnel", funnel)
	}
	rows, err := store.Q.Comments(ctx, db, store.CommentsParams{WorkspaceID: workspace, FunnelID: funnel})
	return rows, fault.Wrap(err, "list comments")
}

// Comment writes one. An answer belongs to the step of the talk, and opens a resolved talk again.
func Comment(ctx context.Context, tx store.Tx, workspace, funnel uuid.UUID, words Words) (store.FunnelComment, error) {
	if _, err := store.Q.Funnel(ctx, tx, store.FunnelParams{WorkspaceID: workspace, ID: funnel}); err != nil {
		return store.FunnelComment{}, orNotFound(err, "funnel", funnel)
	}
	body, err := checkBody(words.Body)
	if err != nil {
		return store.FunnelComment{}, err
	}
	if words.Answers != nil {
		head, err := find(ctx, tx, workspace, funnel, *words.Answers)
		if err != nil {
			return store.FunnelComment{}, err
		}
		if head.Answers != nil {
			words.Answers = head.Answers
		}
		words.Node = head.Node
		if _, err := resolve(ctx, tx, workspace, *words.Answers, false, nil); err != nil {
			return store.FunnelComment{}, err
		}
	}
	if words.Mentions == nil {
		words.Mentions = []uuid.UUID{}
	}
	made, err := store.Q.InsertComment(ctx, tx, store.InsertCommentParams{
		WorkspaceID: workspace, ID: store.NewID(), FunnelID: funnel, Node: words.Node, Answers: words.Answers, Body: body, Mentions: words.Mentions,
		By: words.By, Now: tx.Now,
	})
	return made, fault.Wrap(err, "insert a comment")
}

// Reword changes one's own words.
func Reword(ctx context.Context, tx store.Tx, workspace, funnel, id uuid.UUID, body string, by *uuid.UUID) (store.FunnelComment, error) {
	body, err := checkBody(body)
	if err != nil {
		return store.FunnelComment{}, err
	}
	if _, err := own(ctx, tx, workspace, funnel, id, by); err != nil {
		return store.FunnelComment{}, err
	}
	made, err := store.Q.RewordComment(ctx, tx, store.RewordCommentParams{WorkspaceID: workspace, ID: id, Body: body, Now: &tx.Now})
	return made, fault.Wrap(err, "reword a comment")
}

// Resolve ends a talk, or opens it again. It is said of the comment that began it.
func Resolve(ctx context.Context, tx store.Tx, workspace, funnel, id uuid.UUID, resolved bool, by *uuid.UUID) (store.FunnelComment, error) {
	head, err := find(ctx, tx, workspace, funnel, id)
	if err != nil {
		return store.FunnelComment{}, err
	}
	if head.Answers != nil {
		return store.FunnelComment{}, fault.New(fault.Invalid, "An answer cannot be resolved, only the comment that began the talk.")
	}
	return resolve(ctx, tx, workspace, id, resolved, by)
}

func resolve(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, resolved bool, by *uuid.UUID) (store.FunnelComment, error) {
	params := store.ResolveCommentParams{WorkspaceID: workspace, ID: id}
	if resolved {
		params.By, params.At = by, &tx.Now
	}
	row, err := store.Q.ResolveComment(ctx, tx, params)
	return row, fault.Wrap(err, "resolve a comment")
}

// Delete takes one's own comment away, with its answers.
func Delete(ctx context.Context, tx store.Tx, workspace, funnel, id uuid.UUID, by *uuid.UUID) error {
	if _, err := own(ctx, tx, workspace, funnel, id, by); err != nil {
		return err
	}
	if err := store.Q.DeleteComment(ctx, tx, store.DeleteCommentParams{WorkspaceID: workspace, ID: id}); err != nil {
		return fmt.Errorf("delete a comment: %w", err)
	}
	return nil
}

// Mentions are the open talks that mention a person, the newest first.
func Mentions(ctx context.Context, db store.DB, workspace, me uuid.UUID) ([]store.OpenMentionsRow, error) {
	rows, err := store.Q.OpenMentions(ctx, db, store.OpenMentionsParams{WorkspaceID: workspace, Me: me})
	return rows, fault.Wrap(err, "list mentions")
}

func find(ctx context.Context, tx store.Tx, workspace, funnel, id uuid.UUID) (store.FunnelComment, error) {
	row, err := store.Q.Comment(ctx, tx, store.CommentParams{WorkspaceID: workspace, FunnelID: funnel, ID: id})
	if err != nil {
		return row, orNotFound(err, "comment", id)
	}
	return row, nil
}

func own(ctx context.Context, tx store.Tx, workspace, funnel, id uuid.UUID, by *uuid.UUID) (store.FunnelComment, error) {
	row, err := find(ctx, tx, workspace, funnel, id)
	if err == nil && (by == nil || row.WrittenBy == nil || *row.WrittenBy != *by) {
		err = fault.New(fault.Forbidden, "Somebody else wrote this. Answer to it instead.")
	}
	return row, err
}

const maxBody = 2000

func checkBody(body string) (string, error) {
	body = strings.TrimSpace(body)
	if body == "" || len([]rune(body)) > maxBody {
		return "", fault.InvalidField("body", "Write 1 to %d characters.", maxBody)
	}
	return body, nil
}
