/** A short help for each view, in words for people who see these parts for the first time. */
import type { JSX } from "preact";
import type { View } from "../state/route.js";

type Lines = readonly (readonly [string, string])[];

const texts: Readonly<Record<View, { readonly about: string; readonly words: Lines }>> = {
  flow: {
    about:
      "A controller never asks the server for each object. It keeps a copy of all objects of a kind, is told of changes, and looks at each object that changed. Each row is the way of one kind, from left to right.",
    words: [
      [
        "reflector",
        "lists all objects of a kind once, then watches: the server sends it each change. @ is the revision that it has seen, mark the last bookmark.",
      ],
      ["delta FIFO", "the line in which changes wait until they are applied to the copy."],
      ["indexer", "the copy itself: the objects in memory, found by name, namespace or other indices."],
      [
        "listeners",
        "parts of the program that are told of each change. Most put a key, the object’s name, into a queue.",
      ],
      ["queue", "keys that wait. A key is in it once, however often its object changes."],
      [
        "workers",
        "take a key each and run the reconciler: it compares what is with what should be, and writes the difference.",
      ],
    ],
  },
  queues: {
    about:
      "Each controller has a queue of keys, the names of objects that it should look at. A healthy queue is nearly always empty.",
    words: [
      ["failing", "the reconciler threw an error. The key is tried again after a wait that doubles each time."],
      ["given up", "the reconciler said that trying again cannot help."],
      ["looping", "the key wakes itself, or two writers undo each other’s writes: both are named."],
    ],
  },
  why: {
    about: "One object: why it is as it is.",
    words: [
      [
        "causes and effects",
        "a dot is a reconcile, a large one has written something. A line leads from a write to the reconcile that it woke. Choose a dot, and walk along the lines with the buttons.",
      ],
      ["family", "the objects that own it and that it owns."],
      [
        "history",
        "each write with its writer and the fields that it changed. Choose a revision, and the whole page goes back to it.",
      ],
      ["manager", "the program that set a field last, as the server keeps it."],
    ],
  },
  cluster: {
    about: "The cluster as it is, or as it was: the slider moves all of it.",
    words: [
      ["map", "a box is a node, a sign in it a pod. Pods without a node wait for the scheduler."],
      ["workloads", "how far each rollout is."],
      ["objects", "tables as kubectl get prints them, for every kind, custom ones first."],
    ],
  },
  numbers: {
    about:
      "Metrics of this process since the page was opened. Drag over a plot to zoom, double-click to see everything again.",
    words: [["event loop", "the longest time for which the process could not answer anybody."]],
  },
};

export function Help({ view }: { readonly view: View }): JSX.Element {
  const { about, words } = texts[view];
  return (
    <section class="help" id="help" aria-label="help for this view">
      <p>{about}</p>
      <dl>
        {words.map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="soft">Keys: 1 to 5 choose a view, / an object, ? this help. Drop a file of simulate here to play it.</p>
    </section>
  );
}
