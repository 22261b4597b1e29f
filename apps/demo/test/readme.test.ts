import { fileURLToPath } from 'node:url'
import { runPage } from '@fw/testing'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDER = fileURLToPath(new URL('..', import.meta.url))

// The complete example combines all packages, and the demo depends on all of them.
for (const page of ['/README.md', '/docs/complete-example.md']) runPage(ROOT + page, { from: FOLDER })
