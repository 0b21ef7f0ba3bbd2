// SPDX-License-Identifier: MIT
import { Link } from '@tanstack/react-router'
import type { Target } from './concerns.ts'

/** To where the thing is that a line is about. */
export function TargetLink({ to, children }: { to: Target; children: React.ReactNode }) {
  if ('node' in to) {
    return (
      <Link to="/nodes/$id" params={{ id: to.node }}>
        {children}
      </Link>
    )
  }
  if ('nodes' in to) {
    return (
      <Link to="/nodes" search={to.nodes === null ? {} : { state: to.nodes }}>
        {children}
      </Link>
    )
  }
  if ('rollout' in to) {
    return (
      <Link to="/rollouts/$id" params={{ id: to.rollout }}>
        {children}
      </Link>
    )
  }
  if ('certificate' in to) {
    return (
      <Link to="/certificates/$name" params={{ name: to.certificate }}>
        {children}
      </Link>
    )
  }
  if ('config' in to) {
    return (
      <Link to="/configs/$name/versions/$number" params={{ name: to.config, number: to.version }}>
        {children}
      </Link>
    )
  }
  if ('entry' in to) {
    return (
      <Link to="/audit/$id" params={{ id: String(to.entry) }}>
        {children}
      </Link>
    )
  }
  if ('alerts' in to) {
    return (
      <Link to="/alerts" search={{ state: to.alerts }}>
        {children}
      </Link>
    )
  }
  return <Link to={to.page}>{children}</Link>
}
