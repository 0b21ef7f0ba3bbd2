// SPDX-License-Identifier: MIT

/** The mark: a house with its lamp lit. */
export function Lamp({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden="true">
      <path
        d="M3.5 10.5 12 3.5l8.5 7V20.5h-17z"
        stroke="currentColor"
        strokeWidth="1.7"
        strokeLinejoin="round"
      />
      <circle cx="12" cy="13" r="3.2" fill="var(--fs-lamp)" />
    </svg>
  )
}
