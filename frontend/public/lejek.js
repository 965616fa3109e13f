/*
 * Tells Lejek which pages a visitor sees. Put into each page:
 *   <script src="https://YOUR-LEJEK/lejek.js" data-key="lk_pub_..." async></script>
 * A visitor is anonymous, by an id of this site's own storage, until a signed token says who they are: lejek.identify(token) with a token your
 * server got from the API, or ?lj_id=... of a link in a message. Browsers that ask not to be tracked are left alone, unless the script has
 * data-dnt="ignore", which the workspace has to allow too.
 */
(() => {
  const me = document.currentScript;
  const key = me?.dataset.key;
  const to = me && new URL("/t", me.src).href;
  const refused = navigator.globalPrivacyControl || navigator.doNotTrack === "1";
  if (!key || window.lejek || (refused && me.dataset.dnt !== "ignore")) return;
  let visitor;
  try {
    visitor = localStorage.getItem("lejek");
    if (!visitor) {
      visitor = crypto.randomUUID();
      localStorage.setItem("lejek", visitor);
    }
  } catch {
    visitor = crypto.randomUUID(); // no storage: this page only
  }
  let last;
  const send = (more) => {
    const body = JSON.stringify({
      key,
      visitor,
      url: location.href,
      title: document.title,
      referrer: document.referrer,
      ...more,
    });
    if (!navigator.sendBeacon?.(to, body))
      fetch(to, { method: "POST", body, keepalive: true, mode: "cors" }).catch(() => {});
  };
  const visit = (more) => {
    const page = location.origin + location.pathname + location.search;
    if (page === last && !more) return;
    last = page;
    send(more);
  };
  for (const name of ["pushState", "replaceState"]) {
    const original = history[name];
    history[name] = function (...given) {
      const result = original.apply(this, given);
      setTimeout(visit, 0); // after the page has set its title
      return result;
    };
  }
  addEventListener("popstate", () => setTimeout(visit, 0));
  window.lejek = { visitor, visit, identify: (identity) => visit({ identity }) };
  const url = new URL(location.href);
  const identity = url.searchParams.get("lj_id");
  if (identity) {
    url.searchParams.delete("lj_id");
    history.replaceState(history.state, "", url);
    last = undefined;
  }
  visit(identity ? { identity } : undefined);
})();
