import { QueryClient } from "@tanstack/react-query";
import { isProblem } from "./problem";

/** One client per page. What a person does not see change is fresh for 15 seconds; refusals are not tried again. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: (count, error) => count < 2 && (!isProblem(error) || error.status === 0 || error.status >= 500),
      },
      mutations: { retry: false },
    },
  });
}
