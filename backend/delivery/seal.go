package delivery

import (
	"github.com/lejek/lejek/backend/seal"
)

// ErrSealed says that a stored password was sealed with another secret.
var ErrSealed = seal.ErrSealed

const (
	passwords = "lejek provider passwords"
	dkimKeys  = "lejek domain keys"
)

// Sealed are the columns of secrets that are ours.
var Sealed = []seal.Column{
	{Table: "providers", Column: "secret", Purpose: passwords, Owner: "uuid_send(id)"},
	{Table: "domains", Column: "private_key", Purpose: dkimKeys, Owner: "uuid_send(workspace_id) || convert_to(name, 'UTF8')"},
}

func (d *Deliverer) passwords() seal.Box { return seal.New(d.Keys.Or(d.Secret), passwords) }

func (d *Deliverer) domainKeys() seal.Box { return seal.New(d.Keys.Or(d.Secret), dkimKeys) }
