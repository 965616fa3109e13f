import { useLingui } from "@lingui/react/macro";
import { Button, Drawer, NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { createResource, type Resource, type ResourceInput, resourcesQuery, updateResource } from "@/api/inbound";
import { useZone } from "@/api/session";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import { zones } from "@/ui/zones";
import classes from "./bookings.module.css";
import { usualWeek, wholeWeek } from "./hours";
import { WeekEditor } from "./WeekEditor";

interface EditorProps {
  resource?: Resource;
  onClose: () => void;
}

/** Adds something that can be booked, or changes it. */
export default function ResourceEditor({ resource, onClose }: EditorProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const zone = useZone();
  const form = useForm({
    initialValues: {
      name: resource?.name ?? "",
      description: resource?.description ?? "",
      zone: resource?.zone || zone,
      hours: resource ? wholeWeek(resource.hours) : usualWeek(),
      slot_minutes: (resource?.slot_minutes ?? 30) as number | string,
      buffer_minutes: (resource?.buffer_minutes ?? 0) as number | string,
      notice_hours: ((resource?.notice_minutes ?? 120) / 60) as number | string,
      horizon_days: (resource?.horizon_days ?? 60) as number | string,
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form, { notice_minutes: "notice_hours" });
  const submit = form.onSubmit(async ({ notice_hours, ...values }) => {
    forgive();
    const body: ResourceInput = {
      ...values,
      slot_minutes: Number(values.slot_minutes),
      buffer_minutes: Number(values.buffer_minutes),
      notice_minutes: Math.round(Number(notice_hours) * 60),
      horizon_days: Number(values.horizon_days) || 60,
    };
    try {
      if (resource) await updateResource(resource.slug, body);
      else await createResource(body);
      await client.invalidateQueries({ queryKey: resourcesQuery.queryKey });
      client.invalidateQueries({ queryKey: ["bookings"] });
      onClose();
      toast.show({ title: t`${body.name} is saved` });
    } catch (error) {
      refuse(error);
    }
  });
  const whole = { allowDecimal: false, allowNegative: false, clampBehavior: "blur" } as const;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={560}
      closeOnClickOutside={false}
      title={resource ? t`Change what can be booked` : t`Add what can be booked`}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <form className={classes.editor} onSubmit={submit} noValidate>
        <TextInput
          label={t`Name`}
          placeholder={t`First call`}
          description={t`People see it on the booking page.`}
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Textarea
          label={t`Description`}
          placeholder={t`Where to come, what to bring.`}
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps("description")}
        />
        <div className={classes.pair}>
          <NumberInput
            label={t`Minutes of one booking`}
            min={5}
            max={1440}
            step={5}
            {...whole}
            {...form.getInputProps("slot_minutes")}
          />
          <NumberInput
            label={t`Minutes kept free after it`}
            min={0}
            max={1440}
            step={5}
            {...whole}
            {...form.getInputProps("buffer_minutes")}
          />
        </div>
        <WeekEditor
          hours={form.values.hours}
          errors={form.errors}
          onChange={(hours) => {
            form.setFieldValue("hours", hours);
            form.clearErrors();
          }}
        />
        <Select
          label={t`Time zone`}
          description={t`The hours above are meant there, in summer and winter.`}
          searchable
          nothingFoundMessage={t`Not found`}
          data={zones()}
          {...form.getInputProps("zone")}
        />
        <div className={classes.pair}>
          <NumberInput
            label={t`Hours ahead, at least`}
            description={t`So that nobody books a time that is nearly there.`}
            min={0}
            max={8760}
            decimalScale={2}
            allowNegative={false}
            {...form.getInputProps("notice_hours")}
          />
          <NumberInput
            label={t`Days ahead, at most`}
            min={1}
            max={366}
            {...whole}
            {...form.getInputProps("horizon_days")}
          />
        </div>
        <div className={classes.foot}>
          {refusal && (
            <p className={classes.refusal} role="alert">
              {refusal}
            </p>
          )}
          <div className={classes.buttons}>
            <Button variant="subtle" onClick={onClose}>
              {t`Cancel`}
            </Button>
            <Button type="submit" variant="filled" loading={form.submitting}>
              {t`Save`}
            </Button>
          </div>
        </div>
      </form>
    </Drawer>
  );
}
