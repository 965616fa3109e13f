import type { Form, FormField, FormInput } from "@/api/inbound";

export type FieldType = FormField["type"];

/** A question as the editor holds it: nothing is absent, and its identity survives being moved. */
export interface Question {
  id: number;
  /** Name of the answer; "" until it is saved for the first time. */
  key: string;
  type: FieldType;
  label: string;
  required: boolean;
  options: string[];
  maps_to: string;
}

export type FormValues = Required<Omit<FormInput, "slug" | "fields">> & { fields: Question[] };

let last = 0;

/** A new question. */
export const question = (part: Partial<Question> = {}): Question => ({
  key: "",
  type: "text",
  label: "",
  required: false,
  options: [],
  maps_to: "",
  ...part,
  id: ++last,
});

const letters: Record<string, string> = { ł: "l", ß: "ss" };
const cyrillic: Record<string, string> = Object.fromEntries(
  [..."абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ"].map((letter, i) => [
    letter,
    "a b v g d e zh z i j k l m n o p r s t u f h c ch sh sch - y - e ju ja e i i e g".split(" ")[i] as string,
  ]),
);

/** The name of an answer, made of its question; `taken` ones get a number. */
export function keyOf(label: string, taken: readonly string[]): string {
  const plain = [...label.toLowerCase()]
    .map((letter) => letters[letter] ?? cyrillic[letter]?.replace("-", "") ?? letter)
    .join("")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+|_+$/g, "")
    .slice(0, 48);
  const base = !plain || ["form", "submission_id"].includes(plain) ? "answer" : plain;
  let key = base;
  for (let n = 2; taken.includes(key); n++) key = `${base}_${n}`;
  return key;
}

/** Where an answer goes when nothing is said: addresses and numbers say who it is. */
export const usualTarget = (type: FieldType): string => (type === "email" || type === "phone" ? type : "");

/** What a saved form is in the editor. */
export function valuesOf(form: Form): FormValues {
  const { name, title, consent_text, consent_topic, consent_required, double_opt_in, list, redirect, thanks } = form;
  return {
    ...{ name, title, consent_text, consent_topic, consent_required, double_opt_in, list, redirect, thanks },
    allowed_origins: form.allowed_origins,
    fields: form.fields.map((field) => question({ ...field, maps_to: field.maps_to || usualTarget(field.type) })),
  };
}

/** What the editor holds, as the server takes it. Keys of saved questions stay what they are. */
export function inputOf(values: FormValues): FormInput {
  const taken = values.fields.map((field) => field.key).filter(Boolean);
  const fields = values.fields.map(({ key, type, label, required, options, maps_to }): FormField => {
    const name = key || keyOf(maps_to || label, taken);
    if (!key) taken.push(name);
    return {
      ...{ key: name, type, label: label.trim(), required },
      ...(type === "select" ? { options } : {}),
      ...(maps_to ? { maps_to } : {}),
    };
  });
  return { ...values, consent_required: values.consent_required && values.consent_text.trim() !== "", fields };
}
