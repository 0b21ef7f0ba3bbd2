// SPDX-License-Identifier: MIT
// For `node --import`: dependency-cruiser reads sources by TypeScript's own library, which TypeScript 7 does not
// have (release 18.7 takes versions below 7). It gets the one that makes the API's types.
import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const { resolve } = createRequire(new URL('../../api-types/package.json', import.meta.url))
// Asked before the hook is there, which would ask itself.
const places = new Map(
  ['typescript', 'typescript/package.json'].map((name) => [
    name,
    pathToFileURL(resolve(name)).href,
  ]),
)

registerHooks({
  resolve(name, context, next) {
    const url = places.get(name)
    return url === undefined ? next(name, context) : { url, shortCircuit: true }
  },
})
