/** A view whose code is loaded when it is first shown. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "./small.js";

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P): JSX.Element {
    const [Shown, show] = useState<ComponentType<P> | undefined>(() => loaded);
    const [problem, tell] = useState("");
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          show(() => component);
        },
        () => tell("This view could not be loaded: the page may be of another version. Load it again."),
      );
    }, []);
    if (problem !== "") return <Problem text={problem} />;
    return Shown === undefined ? <p class="loading" /> : <Shown {...props} />;
  };
}
