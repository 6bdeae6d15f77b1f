/** A collector of spans that are sent by OTLP over HTTP, in JSON, as OpenTelemetry's exporters do. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A span as it was sent. */
export interface CollectedSpan {
  /** The process that sent it: the first part of the path. */
  readonly from: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The members of an ExportTraceServiceRequest that the tests look at (opentelemetry-proto, trace_service.proto). */
interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly attributes: readonly Attribute[];
      }[];
    }[];
  }[];
}

const membersOf = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

export interface Collector extends AsyncDisposable {
  /** The endpoint of a process of this name. */
  endpointOf(name: string): string;
  readonly spans: readonly CollectedSpan[];
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const [, from] = /^\/([^/]+)\/v1\/traces$/.exec(request.url ?? "") ?? [];
      if (request.method !== "POST" || from === undefined) return response.writeHead(404).end();
      for (const { scopeSpans } of (JSON.parse(body) as TraceRequest).resourceSpans)
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({ parentSpanId: "", ...span, from, attributes: membersOf(span.attributes) });
      return response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpointOf: (name) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`,
    spans,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
