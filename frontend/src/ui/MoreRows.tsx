import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import { useEffect } from "react";
import classes from "./more.module.css";

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
}

/** The end of a list that has more: comes by itself when scrolled to, or by the button. */
export function MoreRows({ query }: { query: Pages }) {
  const { t } = useLingui();
  const { ref, entry } = useIntersection({ rootMargin: "200px" });
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const near = entry?.isIntersecting ?? false;
  useEffect(() => {
    if (near && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) fetchNextPage();
  }, [near, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  if (!hasNextPage) return null;
  return (
    <div ref={ref} className={classes.more}>
      <Button size="sm" variant="subtle" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {isFetchNextPageError ? t`Try again` : t`Show more`}
      </Button>
    </div>
  );
}
