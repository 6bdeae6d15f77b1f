/** Matches 1,000 label sets with a compiled selector. Compares with parsing each time, and with interpreting its requirements. */
import { type Labels, parseLabelSelector, type Requirement } from "../src/api/index.js";
import { measure, type Run } from "./harness.js";

const text = "app=web,tier in (front,back),!canary,release!=old";

const labelSets: readonly Labels[] = Array.from({ length: 1_000 }, (_, i) => ({
  app: i % 2 === 0 ? "web" : "db",
  tier: ["front", "back", "cache"][i % 3] as string,
  "pod-template-hash": `h${i}`,
  ...(i % 5 === 0 ? { canary: "true" } : {}),
}));

/** The obvious alternative: walks the requirements and their operators for each object. */
function interpret(requirements: readonly Requirement[], labels: Labels): boolean {
  return requirements.every(({ key, operator, values }) => {
    const has = Object.hasOwn(labels, key);
    switch (operator) {
      case "exists":
        return has;
      case "!":
        return !has;
      case "!=":
      case "notin":
        return !has || !values.includes(labels[key] as string);
      case "gt":
        return has && Number(labels[key]) > Number(values[0]);
      case "lt":
        return has && Number(labels[key]) < Number(values[0]);
      default:
        return has && values.includes(labels[key] as string);
    }
  });
}

function counting(matches: (labels: Labels) => boolean): () => number {
  let matched = 0;
  return () => {
    for (const labels of labelSets) if (matches(labels)) matched++;
    if (matched < 0) throw new Error("unreachable; keeps the loop alive");
    return labelSets.length;
  };
}

export const run: Run = () => {
  const selector = parseLabelSelector(text);
  const { requirements } = selector;
  const times = measure({
    compiled: counting((labels) => selector.matches(labels)),
    interpreted: counting((labels) => interpret(requirements, labels)),
    parsed: counting((labels) => parseLabelSelector(text).matches(labels)),
  });
  return {
    figures: {
      "compiled match (ns)": times.compiled,
      "interpreted match (ns)": times.interpreted,
      "parse and match (ns)": times.parsed,
    },
    ratios: {
      "compiled against interpreted": times.interpreted / times.compiled,
      "compiled against parsing each time": times.parsed / times.compiled,
    },
  };
};
