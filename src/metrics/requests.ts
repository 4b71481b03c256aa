/** Counts and times the requests that this process has answered, by route and never by path. */

import { HTTP_METHODS } from "../base/http_methods.ts";
import type { Family, Labels } from "./exposition.ts";

export interface AnsweredRequest {
  readonly method: string;
  /** Path template (`/api/…/{id}/`); undefined for an unknown path. */
  readonly route: string | undefined;
  /** HTTP status. */
  readonly status: number;
  /** Time until the headers of the response were ready. A long body may still be streaming. */
  readonly seconds: number;
}

/** Records requests, and returns them as metrics. */
export interface RequestMetrics {
  /** Counts a request as in flight until {@link RequestMetrics.answered}. */
  entered(): void;
  answered(request: AnsweredRequest): void;
  families(): Family[];
}

/** Label of unknown methods and paths. */
const OTHER = "other";

/** Upper limits of the histogram's buckets, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** The responses for a method and route. */
interface Series {
  readonly labels: Labels;
  /** By the class of the status, `2xx`. */
  readonly byStatus: Map<string, number>;
  /** Number of responses at or below each limit and above the one before. */
  readonly counts: number[];
  sum: number;
}

/** Creates counters at zero. There are at most as many as routes times methods. */
export function createRequestMetrics(): RequestMetrics {
  const all = new Map<string, Series>();
  let inFlight = 0;
  return {
    entered(): void {
      inFlight++;
    },
    answered({ method, route = OTHER, status, seconds }): void {
      inFlight--;
      const series = seriesOf(all, { method: HTTP_METHODS.has(method) ? method : OTHER, route });
      const statusClass = `${Math.floor(status / 100)}xx`;
      series.byStatus.set(statusClass, (series.byStatus.get(statusClass) ?? 0) + 1);
      series.sum += seconds;
      const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
      series.counts[bucket === -1 ? BOUNDS.length : bucket]! += 1;
    },
    families: () => [requestFamily(all), durationFamily(all), {
      name: "certmgr_http_requests_in_flight",
      help: "Requests in flight.",
      type: "gauge",
      samples: [{ value: inFlight }],
    }],
  };
}

function seriesOf(all: Map<string, Series>, labels: { method: string; route: string }): Series {
  const key = `${labels.method} ${labels.route}`;
  const known = all.get(key);
  if (known !== undefined) return known;
  const series = { labels, byStatus: new Map(), counts: Array(BOUNDS.length + 1).fill(0), sum: 0 };
  all.set(key, series);
  return series;
}

function requestFamily(all: ReadonlyMap<string, Series>): Family {
  return {
    name: "certmgr_http_requests_total",
    help: "Requests answered by this process, by route and status class.",
    type: "counter",
    samples: [...all.values()].flatMap(({ labels, byStatus }) =>
      [...byStatus].sort().map(([status, value]) => ({ labels: { ...labels, status }, value }))
    ),
  };
}

function durationFamily(all: ReadonlyMap<string, Series>): Family {
  return {
    name: "certmgr_http_request_duration_seconds",
    help: "Time to the headers of the response, by route.",
    type: "histogram",
    samples: [...all.values()].flatMap(({ labels, counts, sum }) => {
      let below = 0;
      const buckets = counts.map((count, index) => {
        below += count;
        const le = index < BOUNDS.length ? String(BOUNDS[index]) : "+Inf";
        return { suffix: "_bucket" as const, labels: { ...labels, le }, value: below };
      });
      return [...buckets, { suffix: "_sum" as const, labels, value: sum }, {
        suffix: "_count" as const,
        labels,
        value: below,
      }];
    }),
  };
}
