import { fileURLToPath } from 'node:url'
import { runPage } from '@fw/testing'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = fileURLToPath(new URL('..', import.meta.url))

// The complete example composes every package, as the demo does.
for (const page of ['/README.md', '/docs/complete-example.md']) runPage(ROOT + page, { from: FOLDER })
