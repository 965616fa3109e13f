import { describe, expect, it } from "vitest";
import { layout } from "../layout";
import { reach, routeNear } from "../near";
import { sizes } from "../sizes";
import { catalogue, graph, step } from "./fixtures";

const picture = layout(
  graph(
    [step("start", "entry"), step("if-1", "condition"), step("tag-1", "add_tag"), step("tag-2", "add_tag")],
    ["start next if-1", "if-1 yes tag-1", "if-1 no tag-2"],
  ),
  catalogue,
  sizes(catalogue, () => false),
);
const route = (from: string, port: string) => {
  const found = picture.routes.find((r) => r.from === from && r.port === port);
  if (!found) throw new Error(`no way ${from}/${port}`);
  return found;
};

describe("the link a pointer is near to", () => {
  it.each([
    ["start", "next"],
    ["if-1", "yes"],
    ["if-1", "no"],
    ["tag-1", "next"],
  ])("is %s/%s around its '+', and nothing farther off", (from, port) => {
    const [x, y] = route(from, port).plus;
    expect(routeNear(picture.routes, x + reach, y)).toBe(route(from, port));
    expect(routeNear(picture.routes, x + reach + 1, y)).toBeUndefined();
  });
});
