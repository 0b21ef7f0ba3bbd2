// SPDX-License-Identifier: MIT
// One connection to GET /events, and whether it can be relied on.
//
// The control plane says something every 15 seconds. A stream on which nothing comes is therefore no quiet farm: its
// connection is gone without an end (a machine that slept, a router that forgot it), or something on the way gathers what is
// said. It is opened anew, and counts as lost until its heartbeats come one by one.

export type Said =
  /** What is told from now on comes at once. */
  | { is: 'open' }
  /** `isOver`: it does not come back by itself. */
  | { is: 'lost'; isOver: boolean }
  | { is: 'event'; data: string; id: string }
  | { is: 'resync' }

/** Returns how to close it. */
export type Listen = (url: string, hear: (said: Said) => void) => () => void

/** Two heartbeats and a half. */
const SILENT_MS = 40_000
const OPENS_WITHIN_MS = 10_000
/** Of two heartbeats that came as they were said. Those that were gathered come together. */
const BEATS_APART_MS = { least: 10_000, most: 25_000 }

export const listen: Listen = (url, hear) => {
  let source: EventSource
  let timer: ReturnType<typeof setTimeout> | undefined
  let isReliable = true
  let beatAtMs: number | null = null

  const within = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      isReliable = false
      hear({ is: 'lost', isOver: false })
      open()
    }, ms)
  }
  const beat = () => {
    const apartMs = beatAtMs === null ? 0 : Date.now() - beatAtMs
    beatAtMs = Date.now()
    if (isReliable || apartMs < BEATS_APART_MS.least || apartMs > BEATS_APART_MS.most) return
    isReliable = true
    hear({ is: 'open' })
  }
  const open = () => {
    source?.close()
    beatAtMs = null
    source = new EventSource(url)
    within(OPENS_WITHIN_MS)
    const comes = (name: string, take: (event: MessageEvent<unknown>) => void) =>
      source.addEventListener(name, (event) => {
        within(SILENT_MS)
        take(event)
      })
    source.onopen = () => {
      within(SILENT_MS)
      if (isReliable) hear({ is: 'open' })
    }
    source.onerror = () => {
      // The browser goes on trying after a lost connection, but not after an answer like 503.
      clearTimeout(timer)
      hear({ is: 'lost', isOver: source.readyState === EventSource.CLOSED })
    }
    comes('message', ({ data, lastEventId: id }) => hear({ is: 'event', data: String(data), id }))
    comes('resync', () => hear({ is: 'resync' }))
    comes('heartbeat', beat)
  }
  open()
  return () => {
    clearTimeout(timer)
    source.close()
  }
}
