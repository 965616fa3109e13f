package receipts_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/receipts"
)

const topic = "arn:aws:sns:eu-west-1:123456789012:lejek"

// sns is a fake SNS: it signs as Amazon does and serves its certificate.
type sns struct {
	t    *testing.T
	key  *rsa.PrivateKey
	cert []byte
}

func newSNS(t *testing.T, now time.Time) *sns {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "sns.amazonaws.com"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(365 * 24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return &sns{t: t, key: key, cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
}

func (s *sns) serve(r outgoing.Request) (outgoing.Answer, error) {
	return outgoing.Answer{Status: http.StatusOK, Body: s.cert}, nil
}

const certURL = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem"

// sign makes a notification; changes are made before it is signed.
func (s *sns) sign(n map[string]string) receipts.Report {
	s.t.Helper()
	names := []string{"Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"}
	if n["Type"] != "Notification" {
		names = []string{"Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"}
	}
	var text strings.Builder
	for _, name := range names {
		if value, there := n[name]; there {
			text.WriteString(name + "\n" + value + "\n")
		}
	}
	sum := sha256.Sum256([]byte(text.String()))
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, sum[:])
	require.NoError(s.t, err)
	n["Signature"] = base64.StdEncoding.EncodeToString(signature)
	return report(s.t, n)
}

func report(t *testing.T, n map[string]string) receipts.Report {
	t.Helper()
	body, err := json.Marshal(n)
	require.NoError(t, err)
	return receipts.Report{Header: http.Header{}, Body: body}
}

func TestSecurity_02_SNSIsBelievedOnlyBySignatureAndItsOwnHosts(t *testing.T) {
	t.Parallel()
	w := setup(t)
	amazon := newSNS(t, w.machine.now)
	w.serve = amazon.serve
	source := w.source(receipts.Input{Kind: receipts.SES, Name: "SES", TopicArn: topic})
	notification := func() map[string]string {
		return map[string]string{
			"Type": "Notification", "MessageId": uuid.NewString(), "TopicArn": topic, "Timestamp": w.machine.now.Format("2006-01-02T15:04:05.000Z"), "SignatureVersion": "2",
			"SigningCertURL": certURL,
			"Message": fmt.Sprintf(`{"eventType":"Bounce","mail":{"messageId":"prov-%s","tags":{"lejek_message":["%s"]}},"bounce":{"bounceType":"Permanent","timestamp":%q,"bouncedRecipients":[{"emailAddress":"anna@example.com"}]}}`,
				w.message, w.message, w.machine.now.Format(time.RFC3339)),
		}
	}

	t.Run("ForgedAddressesOfTheCertificateAreNeverFetched", func(t *testing.T) {
		for _, address := range []string{
			"https://evil.example/x.pem", "https://sns.eu-west-1.amazonaws.com.evil.example/x.pem", "http://sns.eu-west-1.amazonaws.com/x.pem",
			"https://sns.eu-west-1.amazonaws.com@evil.example/x.pem", "https://169.254.169.254/latest.pem", "https://sns.eu-west-1.amazonaws.com:8443/x.pem",
			"https://sns.eu-west-1.amazonaws.com/x.txt", "https://sns.eu-west-1.amazonaws.com/x.pem?to=evil", "https://s3.amazonaws.com/bucket/x.pem", "",
		} {
			n := notification()
			n["SigningCertURL"] = address
			requireRefused(t, w.take(source, amazon.sign(n)))
		}
		require.Empty(t, w.asked)
	})
	t.Run("AnotherTopicVersionOneAndChangedTextAreRefused", func(t *testing.T) {
		other := notification()
		other["TopicArn"] = topic + "-of-somebody"
		requireRefused(t, w.take(source, amazon.sign(other)))
		require.Empty(t, w.asked, "a stranger's topic makes us fetch nothing")
		first := notification()
		first["SignatureVersion"] = "1"
		requireRefused(t, w.take(source, amazon.sign(first)))
		changed := notification()
		amazon.sign(changed)
		changed["Message"] = strings.Replace(changed["Message"], "Permanent", "Transient", 1)
		requireRefused(t, w.take(source, report(t, changed)))
		withSubject := notification()
		amazon.sign(withSubject)
		withSubject["Subject"] = "added afterwards"
		requireRefused(t, w.take(source, report(t, withSubject)))
		future := notification()
		future["Timestamp"] = w.machine.now.Add(10 * time.Minute).Format("2006-01-02T15:04:05.000Z")
		requireRefused(t, w.take(source, amazon.sign(future)))
		old := notification()
		old["Timestamp"] = w.machine.now.Add(-80 * time.Hour).Format("2006-01-02T15:04:05.000Z")
		requireRefused(t, w.take(source, amazon.sign(old)))
	})
	t.Run("AGenuineOneCountsOnceAlsoWithASubject", func(t *testing.T) {
		n := notification()
		n["Subject"] = "Amazon SES"
		good := amazon.sign(n)
		for range 3 {
			require.NoError(t, w.take(source, good))
		}
		require.Equal(t, []string{certURL}, w.asked, "the certificate is kept")
		w.work()
		require.Equal(t, 1, w.events("message_bounced"))
		require.Equal(t, people.NoSuppress, w.reason("email", "marketing"))
	})
	t.Run("ASubscriptionIsConfirmedAtAmazonOnly", func(t *testing.T) {
		confirm := func(at string) map[string]string {
			return map[string]string{
				"Type": "SubscriptionConfirmation", "MessageId": uuid.NewString(), "Token": "t", "TopicArn": topic, "Message": "You have chosen ...", "SubscribeURL": at,
				"Timestamp": w.machine.now.Format("2006-01-02T15:04:05.000Z"), "SignatureVersion": "2", "SigningCertURL": certURL,
			}
		}
		requireRefused(t, w.take(source, amazon.sign(confirm("http://127.0.0.1/confirm"))))
		requireRefused(t, w.take(source, amazon.sign(confirm("https://evil.example/confirm"))))
		good := "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t"
		before := len(w.asked)
		stranger := confirm(good)
		stranger["TopicArn"] = topic + "-of-somebody"
		requireRefused(t, w.take(source, amazon.sign(stranger)))
		unsigned := confirm(good)
		amazon.sign(unsigned)
		unsigned["SubscribeURL"] = good + "2"
		requireRefused(t, w.take(source, report(t, unsigned)))
		require.Len(t, w.asked, before, "neither a stranger's topic nor a changed address is visited")
		require.NoError(t, w.take(source, amazon.sign(confirm(good))))
		require.Equal(t, good, w.asked[len(w.asked)-1])
	})
	t.Run("ACertificateThatIsOverIsNotBelieved", func(t *testing.T) {
		w.machine.now = w.machine.now.Add(400 * 24 * time.Hour)
		requireRefused(t, w.take(source, amazon.sign(notification())))
	})
}
