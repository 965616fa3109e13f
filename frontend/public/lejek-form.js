/*
 * Draws a form of Lejek where the script stands:
 *   <script src="https://YOUR-LEJEK/lejek-form.js" data-form="ID" async></script>
 * The site has to be among the form's allowed origins. Style it by the class lejek-form: whatever the page says wins over what is here.
 */
(() => {
  const me = document.currentScript;
  const id = me?.dataset.form;
  if (!id) return;
  const url = new URL(`/f/${encodeURIComponent(id)}`, me.src).href;
  const make = (name, props = {}, ...children) => {
    const element = Object.assign(document.createElement(name), props);
    element.append(...children);
    return element;
  };
  const words = {
    en: [
      "Send",
      "Please choose",
      "Thank you.",
      "Almost done: open the e-mail we have sent you, and confirm your address.",
    ],
    pl: ["Wyślij", "Wybierz", "Dziękujemy.", "Jeszcze chwila: otwórz e-mail od nas i potwierdź adres."],
    ru: ["Отправить", "Выберите", "Спасибо.", "Почти готово: откройте наше письмо и подтвердите адрес."],
  };
  const style = `
    :where(.lejek-form) { display: grid; gap: 1em; max-width: 26em; }
    :where(.lejek-form h2, .lejek-form p) { margin: 0; }
    :where(.lejek-form label) { display: grid; gap: .3em; }
    :where(.lejek-form label:has([type=checkbox])) { display: flex; gap: .5em; align-items: baseline; }
    :where(.lejek-form :is(input:not([type=checkbox]), select, textarea, button)) { box-sizing: border-box; width: 100%; min-height: 2.75em; padding: .5em .75em; font: inherit; }
    :where(.lejek-form button) { width: auto; justify-self: start; cursor: pointer; }
    :where(.lejek-form p:empty) { display: none; }
    :where(.lejek-error) { color: #b42318; }`;
  const [send, choose, thank, check] =
    words[(document.documentElement.lang || navigator.language).slice(0, 2)] ?? words.en;
  const input = (f) => {
    if (f.type === "textarea") return make("textarea", { name: f.key });
    if (f.type === "select")
      return make(
        "select",
        { name: f.key },
        make("option", { value: "", textContent: choose }),
        ...f.options.map((o) => make("option", { textContent: o })),
      );
    const type = { phone: "tel", number: "text" }[f.type] ?? f.type;
    return make("input", { name: f.key, type });
  };
  const line = (label, control, required) => {
    const say = make("span", { className: "lejek-error" });
    say.setAttribute("role", "alert");
    if (required) control.setAttribute("aria-required", "true");
    const box = control.type === "checkbox";
    const text = make("span", { textContent: label });
    return make("p", {}, make("label", {}, ...(box ? [control, text] : [text, control])), say);
  };
  fetch(url, { headers: { Accept: "application/json" } })
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
    .then((shown) => {
      const form = make("form", { className: "lejek-form", noValidate: true });
      if (shown.title) form.append(make("h2", { textContent: shown.title }));
      for (const f of shown.fields) form.append(line(f.label, input(f), f.required));
      const trap = make("input", { name: "_website", tabIndex: -1, autocomplete: "off" });
      const hidden = make("div", {}, trap);
      hidden.setAttribute("aria-hidden", "true");
      hidden.style.cssText = "position:absolute;left:-9999px";
      form.append(hidden);
      if (shown.consent_text)
        form.append(
          line(shown.consent_text, make("input", { name: "_consent", type: "checkbox" }), shown.consent_required),
        );
      const status = make("p", { className: "lejek-status" });
      status.setAttribute("role", "status");
      form.append(make("button", { textContent: send }), status);
      const key = crypto.randomUUID(); // a second click is no second submission
      form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const body = { _token: shown.token, _visitor: window.lejek?.visitor ?? "", _key: key };
        for (const control of form.elements)
          if (control.name) body[control.name] = control.type === "checkbox" ? control.checked : control.value;
        for (const error of form.querySelectorAll(".lejek-error")) error.textContent = "";
        status.textContent = "";
        const answer = await fetch(url, {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "application/json" },
          body: JSON.stringify(body),
        });
        const said = await answer.json();
        if (!answer.ok) {
          for (const wrong of said.fields ?? []) {
            const place = form.elements.namedItem(wrong.field)?.closest("p")?.querySelector(".lejek-error");
            (place ?? status).textContent = wrong.message;
          }
          if (!said.fields?.length) status.textContent = said.detail;
          return;
        }
        if (said.redirect) location.assign(said.redirect);
        else {
          const text = said.thanks || (said.state === "received" ? check : thank);
          const done = make("p", { textContent: text, className: "lejek-thanks", tabIndex: -1 });
          form.replaceChildren(done);
          done.focus();
        }
      });
      me.after(form);
      if (!document.getElementById("lejek-form-style"))
        document.head.prepend(make("style", { id: "lejek-form-style", textContent: style }));
    })
    .catch(() => {});
})();
