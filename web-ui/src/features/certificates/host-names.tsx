// SPDX-License-Identifier: MIT

type Props = { names: readonly string[]; most: number }

export function HostNames({ names, most }: Props) {
  const more = names.length - most
  return (
    <>
      {names.slice(0, most).map((name) => (
        <div key={name}>
          <code>{name}</code>
        </div>
      ))}
      {more > 0 && <div className="dim">and {more} more</div>}
    </>
  )
}
