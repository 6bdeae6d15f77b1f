/** The frame of the page: views, the state of the process, the connection, and the theme. */
import type { JSX } from "preact";
import { lazy } from "./parts/lazy.js";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Notices } from "./frame/notices.js";
import { OpenButton, useDroppedFiles } from "./frame/open-file.js";
import { useShown } from "./frame/shown.js";
import { TimeBar } from "./frame/time-bar.js";
import { Vitals } from "./frame/vitals.js";
import { Mark } from "./parts/small.js";
import { useOpened } from "./recording/opened.js";
import { momentOf, ShownMoment } from "./state/moment.js";
import { href, type Route, useRoute, type View, views } from "./state/route.js";
import { useWatched, type Watched } from "./state/store.js";
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
const Help = lazy(async () => (await import("./frame/help.js")).Help);
const Numbers = lazy(async () => (await import("./views/numbers.js")).Numbers);

export function App(): JSX.Element {
  const route = useRoute();
  const opened = useOpened();
  const recording = opened.type === "open" ? opened.recording : undefined;
  const moment = useMemo(() => momentOf(route.settings) ?? recording?.end, [route.settings["at"], recording]);
  const live = useWatched();
  const { watched, note } = useShown(live, moment, recording);
  const [isHelping, help] = useState(false);
  useShortcuts(() => help((is) => !is));
  useDroppedFiles();
  useEffect(() => {
    document.title = `${titles[route.view]} · ${watched.process?.title ?? "Coxswain"}`;
  }, [route.view, watched.process?.title]);
  return (
    <ShownMoment.Provider value={moment}>
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
        <button
          class="icon"
          type="button"
          title="help for this view (?)"
          aria-label="help for this view"
          aria-expanded={isHelping}
          onClick={() => help(!isHelping)}
        >
          ?
        </button>
        <OpenButton />
        <ThemeButton />
        <Connection watched={watched} />
      </header>
      <Vitals watched={watched} />
      <TimeBar moment={moment} recording={recording} />
      <Notices watched={watched} note={note} opened={opened} />
      {isHelping && <Help view={route.view} />}
      <main id="main" class={`view ${route.view}`} tabIndex={-1} key={recording?.name ?? ""}>
        <h1 class="unseen">{titles[route.view]}</h1>
        <Shown route={route} watched={watched} />
      </main>
    </ShownMoment.Provider>
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

/** 1 to 5 choose a view, / goes to the field for an object, ? shows the help or hides it. */
function useShortcuts(onHelp: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const view = views[Number(event.key) - 1];
      if (view !== undefined) location.hash = href(view);
      if (event.key === "?") onHelp();
      if (event.key === "/") {
        event.preventDefault();
        document.getElementById("jump")?.focus();
      }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
