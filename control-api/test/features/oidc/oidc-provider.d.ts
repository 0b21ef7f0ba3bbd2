// SPDX-License-Identifier: MIT
// What the tests use of it; the package brings no types.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'
  // biome-ignore lint/style/noDefaultExport: the package's own form
  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): RequestListener
  }
}
