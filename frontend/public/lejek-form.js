/*
 * Draws a form of Lejek where the script stands:
 *   <script src="https://YOUR-LEJEK/lejek-form.js" data-form="ID" async></script>
 * The site has to be among the form's allowed origins. Style it by the class lejek-form.
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
  const words = { en: ["Send", "Please choose"], pl: ["Wyślij", "Wybierz"], ru: ["Отправить", "Выберите"] };
  const [send, choose] = words[(document.documentElement.lang || navigator.language).slice(0, 2)] ?? words.en;
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
        else form.replaceChildren(make("p", { textContent: said.thanks || "✓", className: "lejek-thanks" }));
      });
      me.after(form);
    })
    .catch(() => {});
})();
