import { expect, it } from "vitest";
import { decodeTrial, encodeTrial, type Trial } from "./link";

it("carries a trial through an address whatever it holds", () => {
  const trial: Trial = {
    whom: "real",
    contact: "0192",
    start: "2026-12-01T20:25",
    assume: { "żółw-1": { port: "да" } },
  };
  const word = encodeTrial(trial);
  expect(word).toMatch(/^[\w-]+$/);
  expect(decodeTrial(word)).toEqual(trial);
});

it("takes nothing from an address that was cut or made up", () => {
  for (const word of ["", "x", encodeTrial({ whom: "sample" }).slice(0, -4), btoa('{"whom":"everybody"}')])
    expect(decodeTrial(word)).toBeUndefined();
});
