/** The frame of the page: views, the state of the process, the connection, and the theme. */
import type { JSX } from "preact";
import type { ProcessLine } from "../../src/dashboard/wire.js";
import { lazy } from "./parts/lazy.js";
import { useEffect, useState } from "preact/hooks";
import { bytes, millis, rate, span, timeOfDay } from "./parts/format.js";
import { Mark, Problem, Spark } from "./parts/small.js";
import { href, type Route, useRoute, type View, views } from "./state/route.js";
import { store, useClock, useWatched, type Watched } from "./state/store.js";
import { Flow } from "./views/flow.js";
import { Queues } from "./views/queues.js";

const titles: Readonly<Record<View, string>> = {
  flow: "Flow",
  queues: "Queues",
  why: "Why",
  cluster: "Cluster",
  numbers: "Numbers",
};

const Why = lazy(async () => (await import("./views/why.js")).Why);
const Cluster = lazy(async () => (await import("./views/cluster.js")).ClusterView);
const Numbers = lazy(async () => (await import("./views/numbers.js")).Numbers);

export function App(): JSX.Element {
  const route = useRoute();
  const watched = useWatched();
  useShortcuts();
  useEffect(() => {
    document.title = `${titles[route.view]} · ${watched.process?.title ?? "Coxswain"}`;
  }, [route.view, watched.process?.title]);
  return (
    <>
      <a class="skip" href="#main">
        skip to the view
      </a>
      <header class="bar">
        <Brand />
        <nav aria-label="views">
          {views.map((view, i) => (
            <a
              key={view}
              href={href(view)}
              aria-current={route.view === view ? "page" : undefined}
              title={`${titles[view]} (${i + 1})`}
            >
              {titles[view]}
            </a>
          ))}
        </nav>
        <Jump />
        <Connection watched={watched} />
        <ThemeButton />
      </header>
      <Vitals watched={watched} />
      <Notices watched={watched} />
      <main id="main" class={`view ${route.view}`} tabIndex={-1}>
        <h1 class="unseen">{titles[route.view]}</h1>
        <Shown route={route} watched={watched} />
      </main>
    </>
  );
}

function Shown({ route, watched }: { readonly route: Route; readonly watched: Watched }): JSX.Element {
  switch (route.view) {
    case "flow":
      return <Flow watched={watched} settings={route.settings} />;
    case "queues":
      return <Queues watched={watched} settings={route.settings} />;
    case "why":
      return <Why watched={watched} settings={route.settings} />;
    case "cluster":
      return <Cluster watched={watched} settings={route.settings} />;
    case "numbers":
      return <Numbers watched={watched} settings={route.settings} />;
  }
}

function Brand(): JSX.Element {
  return (
    <a class="brand" href={href("flow")} aria-label="Coxswain">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <circle cx="16" cy="16" r="8.500" />
        <circle cx="16" cy="16" r="2.600" class="hub" />
        <path d="M16 2.500v6M16 23.500v6M2.500 16h6M23.500 16h6M6.500 6.500l4 4M21.500 21.500l4 4M25.500 6.500l-4 4M10.500 21.500l-4 4" />
      </svg>
      <span>coxswain</span>
    </a>
  );
}

/** Goes to an object by its kind and name. */
function Jump(): JSX.Element {
  const [text, change] = useState("");
  const go = (event: Event): void => {
    event.preventDefault();
    const match = /^\s*([^\s/]+)[\s/]+(?:([^\s/]+)\/)?([^\s/]+)\s*$/.exec(text);
    if (match === null) return;
    const [, kind = "", namespace = "", name = ""] = match;
    location.hash = href("why", { kind, namespace, name });
    change("");
  };
  return (
    <form class="jump" role="search" onSubmit={go}>
      <input
        id="jump"
        type="search"
        value={text}
        placeholder="why…  deploy/web"
        aria-label="an object, as kind/name or kind/namespace/name"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

function Connection({ watched }: { readonly watched: Watched }): JSX.Element {
  const words = { connecting: "connecting", open: "live", lost: "reconnecting" } as const;
  const tones = { connecting: "busy", open: "good", lost: "bad" } as const;
  return (
    <span class={`connection ${watched.connection}`} role="status">
      <Mark tone={tones[watched.connection]} title={words[watched.connection]} />
      <span>{words[watched.connection]}</span>
    </span>
  );
}

const themes = ["auto", "dark", "light"] as const;

function ThemeButton(): JSX.Element {
  const [theme, choose] = useState(() => themes.find((one) => one === localStorage.getItem("theme")) ?? "auto");
  useEffect(() => {
    localStorage.setItem("theme", theme);
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
  return (
    <button
      class="theme"
      type="button"
      title={`theme: ${theme}`}
      aria-label={`theme: ${theme}, change to ${next}`}
      onClick={() => choose(next)}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" />
        <path d="M8 2a6 6 0 0 1 0 12z" class={theme} />
      </svg>
    </button>
  );
}

/** The process in one line. */
function Vitals({ watched }: { readonly watched: Watched }): JSX.Element {
  const now = useClock();
  const { process: line, controllers, lanes } = watched;
  const { history } = store;
  let [objects, failing, waiting] = [0, 0, 0];
  for (const lane of lanes.values()) objects += lane.objects;
  for (const one of controllers.values()) {
    failing += one.failing + one.dead;
    waiting += one.ready;
  }
  return (
    <section aria-label="the process">
      <dl class="vitals">
        <Vital name="process" value={line?.title ?? "—"} more={line && roleOf(line, now)} wide />
        <Vital name="reconciles/s" value={rate(history.last("runs", now))} spark="runs" />
        <Vital name="events/s" value={rate(history.last("events", now))} spark="events" />
        <Vital name="waiting" value={String(waiting)} spark="ready" />
        <Vital name="failing" value={String(failing)} bad={failing > 0} />
        <Vital name="cached" value={String(objects)} more="objects" />
        <Vital name="cpu" value={`${line?.cpuPercent ?? 0} %`} spark="cpu" />
        <Vital name="loop lag" value={millis(line?.lagMs ?? 0)} spark="lag" />
        <Vital name="memory" value={bytes(line?.rssBytes ?? 0)} spark="rss" />
      </dl>
    </section>
  );
}

function roleOf({ startedAt, leadership }: ProcessLine, now: number): string {
  const role = leadership === undefined ? "" : leadership.leads ? "leads · " : "stands by · ";
  return `${role}up ${span(now - startedAt)}`;
}

interface VitalProps {
  readonly name: string;
  readonly value: string;
  readonly more?: string | undefined;
  readonly spark?: string;
  readonly bad?: boolean;
  readonly wide?: boolean;
}

function Vital({ name, value, more, spark, bad = false, wide = false }: VitalProps): JSX.Element {
  return (
    <div class={`vital${wide ? " wide" : ""}${bad ? " bad" : ""}`}>
      <dt>{name}</dt>
      <dd>
        {bad && <Mark tone="bad" title="" />}
        <b>{value}</b>
        {more !== undefined && <small>{more}</small>}
        {spark !== undefined && <Spark values={store.history.series(spark)} label={`${name} in the last minute`} />}
      </dd>
    </div>
  );
}

function Notices({ watched }: { readonly watched: Watched }): JSX.Element {
  const { connection, process: line } = watched;
  const lease = line?.leadership;
  return (
    <section class="notices" aria-label="notices">
      {connection === "lost" && (
        <Problem text="The process does not answer: what you see is its last known state. Trying again every second." />
      )}
      {line?.problems.map((problem) => (
        <Problem key={problem} text={problem} />
      ))}
      {lease?.lost !== undefined && (
        <Problem
          text={`This process lost the lease ${lease.lease} at ${timeOfDay(lease.lost.at)}: ${lease.lost.why}. It does not reconcile.`}
        />
      )}
      {lease !== undefined && !lease.leads && (
        <p class="note">
          <Mark tone="busy" title="waiting" /> {lease.leader === "" ? "Nobody leads." : `${lease.leader} leads.`} This
          process ({lease.identity}) keeps its caches warm and does not reconcile.
        </p>
      )}
    </section>
  );
}

/** 1 to 5 choose a view, / goes to the field for an object. */
function useShortcuts(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const view = views[Number(event.key) - 1];
      if (view !== undefined) location.hash = href(view);
      if (event.key === "/") {
        event.preventDefault();
        document.getElementById("jump")?.focus();
      }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
