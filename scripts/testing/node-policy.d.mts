// SPDX-License-Identifier: MIT
export type NodePolicy = {
  serve?: string[]
  secrets?: string[]
  logs?: string[]
  runtime?: string[]
  listen?: string[]
  adminBeyondLoopback?: boolean
  users?: string[]
  groups?: string[]
  symlinksAny?: boolean
  neighbours?: { listen: string; announce?: string }
}
export function policyFor(folders: string[], overrides?: NodePolicy): NodePolicy
export function writePolicy(file: string, policy: NodePolicy): string
export function openPolicy(dir: string): [string, string]
export function givingPolicy(dir: string, listen: string): [string, string]
