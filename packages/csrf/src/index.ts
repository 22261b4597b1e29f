export { csrf } from './csrf.ts'
export type { CsrfOptions, CsrfRefusal } from './options.ts'
export type { RouteCsrf } from './route-option.ts'
