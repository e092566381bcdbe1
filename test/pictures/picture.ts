/** One picture of `docs/what-people-see.md`. */
export interface Picture {
  /** Of the file, without its ending. */
  readonly name: string;
  /** What the picture shows, for those who cannot see it. */
  readonly alt: string;
  /** What stands above it. */
  readonly words: string;
  /** Files of `templates/` that it shows. */
  readonly templates: readonly string[];
}

export interface PictureSection<P extends Picture = Picture> {
  readonly title: string;
  readonly pictures: readonly P[];
}
