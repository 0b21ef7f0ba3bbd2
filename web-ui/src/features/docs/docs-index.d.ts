// SPDX-License-Identifier: MIT
// Made by docs-index.ts, a part of the build.
declare module 'virtual:docs-index' {
  export const headings: import('./markdown.ts').DocHeading[]
}
