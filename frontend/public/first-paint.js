// Sets theme and language before anything is painted. A file of its own, so that no inline script is needed.
(() => {
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const wanted = read("lejek.theme");
  const dark = wanted === "dark" || (wanted !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const root = document.documentElement;
  root.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
  root.style.colorScheme = dark ? "dark" : "light";
  root.style.background = dark ? "#12141A" : "#F6F7F9";
  const language = read("lejek.language");
  if (language) root.lang = language;
})();
