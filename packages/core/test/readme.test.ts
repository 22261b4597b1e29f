import { fileURLToPath } from 'node:url'
import { runReadme } from '@fw/testing'

const from = fileURLToPath(new URL('..', import.meta.url))
runReadme(fileURLToPath(new URL('../README.md', import.meta.url)))
runReadme(fileURLToPath(new URL('../../../docs/ownership.md', import.meta.url)), { from })
