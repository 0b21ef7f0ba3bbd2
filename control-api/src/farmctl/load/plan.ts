// SPDX-License-Identifier: MIT
// What farmload is told: one JSON document, and for a replay a line for each request (server-c/src/load/load_plan.h).

/** As in server-c/src/load/load_plan.h: bytes. */
export const PATH_MAX = 8192

export type LoadTarget = {
  /** In Host and TLS; messages and confirmations use it, too. */
  name: string
  address: string
  port: number
  tls: boolean
  /** Its name was typed after --yes-i-may-load. */
  confirmed: boolean
}

export type LoadUrl = {
  target: number
  path: string
  /** With the port, where it is not the scheme's own. */
  host: string
  weight: number
  head?: boolean
  /** Of a 200's body, as it is sent. */
  bytes?: number
  sha256?: string
}

export type LoadPlan = {
  mode: 'closed' | 'open' | 'replay'
  ratePerSecond?: number
  clients: number
  seconds: number
  requests: number
  timeoutMs: number
  seed: number
  samples: number
  memoryMb: number
  keepAlive: boolean
  insecure: boolean
  caFile?: string
  fields?: string
  /** Of a connection of HTTP/2; 0: HTTP/1.1. */
  streams: number
  slowClients: number
  slowBytesPerSecond: number
  abortingClients: number
  targets: LoadTarget[]
  urls: LoadUrl[]
}

/** A request of a log: microseconds from the beginning, and whose turn it is. */
export type Due = readonly [dueUs: number, url: number]

export const planText = (plan: LoadPlan, replay: readonly Due[]): string =>
  `${JSON.stringify(plan)}\n${replay.map(([dueUs, url]) => `${dueUs} ${url}\n`).join('')}`
