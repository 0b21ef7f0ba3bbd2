// SPDX-License-Identifier: MIT
import { getRouteApi, useLocation } from '@tanstack/react-router'
import { DocScreen, DocsScreen } from '../features/docs/docs-screens.tsx'

const docRoute = getRouteApi('/app/docs/$page')

export const DocsPage = () => <DocsScreen />

export function DocPage() {
  const { page } = docRoute.useParams()
  const hash = useLocation({ select: ({ hash: at }) => at })
  return <DocScreen key={page} page={page} hash={hash} />
}
