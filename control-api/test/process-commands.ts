// SPDX-License-Identifier: MIT
// What tests of the real processes do with a new service.
import { start } from './processes.ts'
import { PROGRAMS } from './programs.ts'

export const admin = (dataDir: string, ...args: string[]) =>
  start(PROGRAMS.admin, args, {
    FARMSTEAD_DATA_DIR: dataDir,
    FARMSTEAD_AGENT_TRANSPORT: 'insecure-http',
  }).ended

export const tokenIn = (stdout: string, url: string) =>
  new RegExp(`Set-up {11}${url}/setup#(fss_\\S+)`).exec(stdout)?.[1] ?? ''

export const setUp = (url: string, token: string) =>
  fetch(`${url}/api/v1/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, username: 'ana', password: 'my very own password' }),
  })
