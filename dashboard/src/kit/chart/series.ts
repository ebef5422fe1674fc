/** The series that a chart is given. */
export type Series = {
  label: string;
  /** A token of the theme, such as `--color-done`. */
  color: string;
  values: readonly (number | null)[];
  /** Drawn as an area on top of the stacked ones before it. */
  stacked?: boolean;
  /** Drawn as dots: for values that stand by themselves. */
  dots?: boolean;
};

export type ChartProps = {
  /** The table's caption: what is shown, in words. */
  title: string;
  /** Seconds since 1970, rising. */
  times: readonly number[];
  series: readonly Series[];
  height?: number;
  format?: (value: number) => string;
};
