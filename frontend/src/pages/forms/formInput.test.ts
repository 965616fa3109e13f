import { expect, it } from "vitest";
import { inputOf, keyOf, question } from "./formInput";

it.each([
  ["What do you ask?", [], "what_do_you_ask"],
  ["Miejscowość, łódź", [], "miejscowosc_lodz"],
  ["Ваше имя", [], "vashe_imja"],
  ["2 — 3", [], "answer"],
  ["Form", [], "answer"],
  ["City", ["city"], "city_2"],
])("the key of %j with %j taken is %j", (label, taken, key) => {
  expect(keyOf(label, taken)).toBe(key);
});

it("keeps the keys of saved questions and names new ones by what they fill", () => {
  const { fields } = inputOf({
    name: "Contact",
    title: "",
    consent_text: "",
    consent_topic: "",
    consent_required: true,
    double_opt_in: false,
    list: "",
    allowed_origins: [],
    redirect: "",
    thanks: "",
    fields: [
      question({ label: "City", maps_to: "town" }),
      question({ key: "town", label: "Old" }),
      question({ label: "Pick", type: "select", options: ["a"] }),
    ],
  });
  expect(fields.map((field) => field.key)).toEqual(["town_2", "town", "pick"]);
  expect(fields[2]?.options).toEqual(["a"]);
});
