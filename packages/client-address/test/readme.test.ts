import { fileURLToPath } from 'node:url'
import { runReadme } from '@fw/testing'

runReadme(fileURLToPath(new URL('../README.md', import.meta.url)))
