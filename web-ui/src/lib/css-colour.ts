// SPDX-License-Identifier: MIT
/** A palette colour as a canvas needs it: light-dark() resolved for the scheme in force. */
export function cssColour(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const resolved = getComputedStyle(probe).color
  probe.remove()
  return resolved || getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}
