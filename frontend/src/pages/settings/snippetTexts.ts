/** A language of the snippets. */
export type SnippetLanguage = "curl" | "javascript" | "go";

interface Wanted {
  /** Address of this installation, without a slash at its end. */
  base: string;
  /** A live token, or a word in its place. */
  token: string;
  event: string;
}

/** Code that sends one event and runs as it is once the token is a real one. */
export function snippet(language: SnippetLanguage, { base, token, event }: Wanted): string {
  switch (language) {
    case "curl":
      return `curl -X POST ${base}/api/v1/events \\
  -H "Authorization: Bearer ${token}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "name": "${event}",
    "contact": { "email": "anna@example.com", "fields": { "first_name": "Anna" } },
    "properties": { "total": 120 },
    "id": "order-1001"
  }'`;
    case "javascript":
      return `const response = await fetch("${base}/api/v1/events", {
  method: "POST",
  headers: {
    Authorization: "Bearer ${token}",
    "Content-Type": "application/json",
  },
  body: JSON.stringify({
    name: "${event}",
    contact: { email: "anna@example.com", fields: { first_name: "Anna" } },
    properties: { total: 120 },
    id: "order-1001",
  }),
});
console.log(await response.json());`;
    case "go":
      return `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`{
		"name": "${event}",
		"contact": {"email": "anna@example.com", "fields": {"first_name": "Anna"}},
		"properties": {"total": 120},
		"id": "order-1001"
	}\`)
	request, err := http.NewRequest(http.MethodPost, "${base}/api/v1/events", body)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer ${token}")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(answer))
}`;
  }
}
