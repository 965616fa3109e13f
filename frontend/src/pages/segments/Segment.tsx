import { useLingui } from "@lingui/react/macro";
import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useBlocker, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { createSegment, type Segment as Saved, segmentQuery, updateSegment } from "@/api/segments";
import { useCan } from "@/api/session";
import { makeCatalogue } from "@/canvas/catalogue";
import type { CatalogueData, Rule } from "@/canvas/types";
import { RuleEditor } from "@/inspector/fields/rule";
import { RuleWorldContext } from "@/inspector/fields/ruleWorld";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { Panel } from "@/ui/Panel";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import { Figures } from "./Figures";
import { Members } from "./Members";
import { SegmentMenu } from "./SegmentMenu";
import { Spoken } from "./Spoken";
import classes from "./segments.module.css";
import { unfinished } from "./unfinished";

export function SavedSegment({ id, data }: { id: string; data: CatalogueData }) {
  const { data: detail } = useQuery(segmentQuery(id));
  return detail ? <Segment segment={detail.segment} data={data} /> : null;
}

interface SegmentProps {
  /** Absent: a new one. */
  segment?: Saved;
  data: CatalogueData;
}

interface Values extends Record<string, unknown> {
  name: string;
  description: string;
  rule: Rule | undefined;
}

/** Who belongs, how many they are while that is being written, and who is inside. */
export function Segment({ segment, data }: SegmentProps) {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const world = useMemo(() => ({ catalogue: makeCatalogue(data) }), [data]);
  const form = useForm<Values>({
    initialValues: {
      name: segment?.name ?? "",
      description: segment?.description ?? "",
      rule: segment?.rule as Rule | undefined,
    },
    validate: {
      name: (name) => (name.trim() ? null : t`Give it a name.`),
      rule: (rule) =>
        !rule
          ? t`Say who belongs: add a condition.`
          : unfinished(rule)
            ? t`A condition is not finished. Finish it or remove it.`
            : null,
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form);
  const write = can("contacts.write");
  const changed = form.isDirty();
  const problem = form.errors.rule ?? refusal;

  useBlocker({
    shouldBlockFn: () =>
      form.isDirty() && !form.submitting && !window.confirm(t`What you changed is not saved. Leave anyway?`),
    enableBeforeUnload: () => form.isDirty(),
  });

  const submit = form.onSubmit(async (values) => {
    forgive();
    const body = { name: values.name, description: values.description, rule: values.rule as never };
    try {
      const saved = await (segment ? updateSegment(segment.id, body) : createSegment(body));
      form.resetDirty();
      await client.invalidateQueries({ queryKey: ["segments"] });
      toast.show({ title: t`“${saved.name}” is saved` });
      if (!segment) await navigate({ to: "/segments/$id", params: { id: saved.id }, replace: true });
    } catch (error) {
      refuse(error);
    }
  });

  return (
    <>
      <PageHeader
        back={
          <Link to="/segments" className={classes.back}>
            {t`Segments`}
            <span aria-hidden> /</span>
          </Link>
        }
        title={segment ? segment.name : t`New segment`}
        actions={
          <>
            {segment && <SegmentMenu segment={segment} inside />}
            {write && (
              <Button
                type="submit"
                form="segment"
                variant="filled"
                loading={form.submitting}
                disabled={segment !== undefined && !changed}
              >
                {t`Save the segment`}
              </Button>
            )}
          </>
        }
      />
      <PageBody>
        <form id="segment" onSubmit={submit} noValidate>
          <Panel flush label={t`Who belongs`}>
            <div className={classes.split}>
              <fieldset className={classes.who} disabled={!write}>
                <div className={classes.words}>
                  <TextInput
                    label={t`Name`}
                    placeholder={t`Regulars from Kraków`}
                    maxLength={120}
                    {...form.getInputProps("name")}
                  />
                  <TextInput
                    label={t`What it is for`}
                    placeholder={t`Only if the name does not say it`}
                    maxLength={1000}
                    {...form.getInputProps("description")}
                  />
                </div>
                {write && (
                  <Spoken
                    take={(rule, name) => {
                      forgive();
                      form.setFieldValue("rule", rule);
                      if (!form.values.name.trim()) form.setFieldValue("name", name);
                    }}
                  />
                )}
                <h2 className={classes.lead}>{t`People who match`}</h2>
                <RuleWorldContext value={world}>
                  <RuleEditor
                    step="segment"
                    label={t`Who belongs`}
                    value={form.values.rule}
                    onChange={(rule) => {
                      forgive();
                      form.setFieldValue("rule", rule);
                    }}
                  />
                </RuleWorldContext>
                {problem && (
                  <p className={classes.refusal} role="alert">
                    {problem}
                  </p>
                )}
              </fieldset>
              <Figures rule={form.values.rule} />
            </div>
          </Panel>
        </form>
        {segment && <Members segment={segment} />}
      </PageBody>
    </>
  );
}
