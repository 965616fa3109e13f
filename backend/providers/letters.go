package providers

import (
	"bytes"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/lejek/lejek/backend/outgoing"
)

var _ = register(Kind{
	Name: "lob", Channels: []string{"letter"}, Idempotent: keyDay, open: openLob,
	Fields: []Field{
		{Name: "api_key", Secret: true, Required: true, Example: "live_..."}, {Name: "from", Required: true, Example: "adr_..."},
		{Name: "country", Example: "PL"}, {Name: "base_url", Example: "https://api.lob.com"},
	},
})

type lobConfig struct {
	webConfig

	From    string `json:"from"`    // the id of our address at Lob
	Country string `json:"country"` // of letters whose address names none
}

func openLob(s Settings) (Adapter, error) {
	var c lobConfig
	if err := config(s, &c, "api_key"); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(c.From, "adr_") {
		return nil, errors.New("from is needed: the id of your address at Lob, which begins with adr_")
	}
	base := func(path string) string { return address(c.BaseURL, "https://api.lob.com", path) }
	return &web{
		settings: s, name: "Lob",
		request: func(p Parcel) (outgoing.Request, error) {
			fields, err := lobAddress(p.Address, c.Country)
			if err != nil {
				return outgoing.Request{}, err
			}
			fields["from"], fields["color"], fields["use_type"] = c.From, "false", "marketing"
			fields["description"], fields["metadata[lejek_message]"] = p.Subject, p.Key()
			header := basic(s.Secret["api_key"], "")
			header.Set("Idempotency-Key", p.Key())
			return multipartPDF(base("/v1/letters"), fields, p, header)
		},
		taken: idIn("id"),
		checkup: func() (outgoing.Request, error) {
			return outgoing.Request{Method: http.MethodGet, URL: base("/v1/addresses/" + c.From), Header: basic(s.Secret["api_key"], "")}, nil
		},
	}, nil
}

// lobAddress reads the lines of an address: name, street, code and town, country.
func lobAddress(lines []string, country string) (map[string]string, error) {
	if len(lines) < 3 {
		return nil, errors.New("the postal address is not complete: name, street, postal code and town are needed")
	}
	to := map[string]string{"to[name]": lines[0], "to[address_line1]": lines[1], "to[address_country]": country}
	code, town, found := strings.Cut(lines[2], " ")
	if !found {
		code, town = "", lines[2]
	}
	to["to[address_zip]"], to["to[address_city]"] = code, town
	if len(lines) > 3 {
		to["to[address_country]"] = lines[3]
	}
	return to, nil
}

// multipartPDF is a form with the letter as its file. Its boundary depends on the message alone: the same letter is the same request.
func multipartPDF(address string, fields map[string]string, p Parcel, header http.Header) (outgoing.Request, error) {
	if len(p.PDF) == 0 {
		return outgoing.Request{}, errors.New("the letter has no page")
	}
	var body bytes.Buffer
	writer := multipart.NewWriter(&body)
	if err := writer.SetBoundary("lejek-" + p.Key()); err != nil {
		return outgoing.Request{}, fmt.Errorf("write a request: %w", err)
	}
	for _, name := range sortedKeys(fields) {
		if fields[name] != "" {
			if err := writer.WriteField(name, fields[name]); err != nil {
				return outgoing.Request{}, fmt.Errorf("write a request: %w", err)
			}
		}
	}
	file, err := writer.CreateFormFile("file", "letter.pdf")
	if err == nil {
		_, err = file.Write(p.PDF)
	}
	if err = errors.Join(err, writer.Close()); err != nil {
		return outgoing.Request{}, fmt.Errorf("write a request: %w", err)
	}
	header.Set("Content-Type", writer.FormDataContentType())
	return outgoing.Request{Method: http.MethodPost, URL: address, Header: header, Body: body.Bytes()}, nil
}
