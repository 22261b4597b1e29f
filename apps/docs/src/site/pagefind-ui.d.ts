/** The package has no types. `astro.config.ts` maps the name of the package itself to `lazy-search.ts`. */
declare module '@pagefind/default-ui/npm_dist/mjs/ui-core.mjs' {
  export const PagefindUI: new (options: object) => object
}
