import { fileURLToPath } from 'node:url'

/** Where programs of tests keep their compiled modules (`NODE_COMPILE_CACHE`): the next one starts in a third of the time. */
export const COMPILE_CACHE: string = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url))
