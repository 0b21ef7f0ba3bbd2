// SPDX-License-Identifier: MIT

/** Of the scheme in force: to find one out makes the browser look at the styles of all there is. */
const resolved = new Map<string, string>()
let resolvedFor = ''

/** A palette colour as a canvas needs it: light-dark() resolved for the scheme in force. */
export function cssColour(name: string): string {
  const scheme = getComputedStyle(document.documentElement).colorScheme
  if (scheme !== resolvedFor) resolved.clear()
  resolvedFor = scheme
  const known = resolved.get(name)
  if (known !== undefined) return known
  const colour = resolve(name)
  resolved.set(name, colour)
  return colour
}

function resolve(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color || getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}
